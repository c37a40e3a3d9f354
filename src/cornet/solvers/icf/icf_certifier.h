#pragma once

#include <cstdint>

#include "cornet/solvers/icf/icf_model.h"

/// Judges velocities as the solution of an ICF problem by code of its own: from what was put into the model, contact by
/// contact with Jacobians of points, no pool's impulses and no patches. With g = A (v - v0) + h k0 - Jᵀγ(v), D = diag(M)^(-1/2):
///
///   converged:  ‖D g‖ ≤ max(tolerance ‖D r‖, floor),   floor = 32 max_s ‖D (g_s - g)‖             (ICF-19)
///   √((v - v*)ᵀ A (v - v*)) ≤ √(gᵀM⁻¹g), v* the exact minimum: what the velocities are wrong by  (ICF-20)
///
/// g_s is g evaluated once more with the last bit of every product turned up or down, in four patterns: the floor is
/// measured, not estimated, and below it there is nothing to gain in double precision. It is measured only where the
/// tolerance is not met. Scale-free: no absolute number enters. Of what the model works out the judge reads the
/// inverse masses w alone.
namespace cornet {

struct IcfCertificate {
  double residual = 0.0;  // ‖D g‖ [√J]
  double scale = 0.0;     // ‖D r‖
  double floor = 0.0;     // 0 where the tolerance was met
  double error = 0.0;     // bound of (ICF-20)

  /// NaN anywhere is no convergence.
  bool meets(double tolerance) const { return residual <= std::max(tolerance * scale, floor); }
};

class IcfCertifier {
 public:
  void reset(const IcfModel& model);
  /// Of some items, or of the whole model. Buffers are kept; those for one model may judge several islands of it at once.
  IcfCertificate judge(const IcfModel& model, const IcfItems& items, const VectorXd& v, double tolerance);
  IcfCertificate judge(const IcfModel& model, const VectorXd& v, double tolerance);
  /// g of the last call, in the entries of its items.
  const VectorXd& gradient() const { return gradient_; }

 private:
  VectorXd gradient_, nudged_;
  AllItems all_;
};

}  // namespace cornet
