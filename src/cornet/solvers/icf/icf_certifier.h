#pragma once

#include "cornet/solvers/icf/icf_model.h"

/// Judges velocities as the solution of an ICF problem by code of its own: from what was put into the model, contact by
/// contact with Jacobians of points, no pool's impulses and no patches. With g = A (v - v0) + h k0 - Jᵀγ(v), D = diag(M)^(-1/2):
///
///   converged:  ‖D g‖ ≤ max(tolerance ‖D r‖, floor),   floor = 8 ε ‖D m‖                        (ICF-19)
///   m = |A| (|v| + |v0|) + h |k0| + |J|ᵀ|γ| + Σ_i |J_cᵀu_i| c_i |u_i| (|J_c| |v| + |v_bias|),   G_c ≈ Σ_i c_i u_i u_iᵀ
///   √((v - v*)ᵀ A (v - v*)) ≤ √(gᵀM⁻¹g), v* the exact minimum: what the velocities are wrong by  (ICF-20)
///
/// m collects the sizes of all terms of g, with what the last bit of v makes of impulses; below the floor there is
/// nothing to gain in double precision. Scale-free: no absolute number enters. Of what the model works out the
/// judge reads the inverse masses w alone.
namespace cornet {

struct IcfCertificate {
  double residual = 0.0;  // ‖D g‖ [√J]
  double scale = 0.0;     // ‖D r‖
  double floor = 0.0;
  double error = 0.0;     // bound of (ICF-20)

  /// NaN anywhere is no convergence.
  bool meets(double tolerance) const { return residual <= std::max(tolerance * scale, floor); }
};

class IcfCertifier {
 public:
  void reset(const IcfModel& model);
  /// Of some items, or of the whole model. Buffers are kept; those for one model may judge several islands of it at once.
  IcfCertificate judge(const IcfModel& model, const IcfItems& items, const VectorXd& v);
  IcfCertificate judge(const IcfModel& model, const VectorXd& v);
  /// g of the last call, in the entries of its items.
  const VectorXd& gradient() const { return gradient_; }

 private:
  struct Point;
  struct Slack;
  void addPoint(const IcfModel& model, const Point& point, const Vector3d& impulse, const Vector3d& torque, const Slack& slack);
  Point locate(const IcfModel& model, int A, int B, const Vector3d& p_W, const VectorXd& v) const;
  void addContact(const IcfModel& model, int contact, const VectorXd& v);
  void addHolonomic(const IcfModel& model, int constraint, const VectorXd& v);
  void addRow(const IcfModel& model, int row, double rate_size, double impulse, double curvature);

  VectorXd gradient_, size_;
  AllItems all_;
};

}  // namespace cornet
