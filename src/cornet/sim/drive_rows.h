#pragma once

#include <span>
#include <vector>

#include "cornet/sim/held_factor.h"
#include "cornet/sim/island.h"

/// Force laws F = -k x - d (u - w) of box rows g, implicit in the kick: springs, dampers and servos of any gain. With u^ = g v
/// before the kick, x^ the stretch there, moved to the middle of the step, and m the mass that the row moves,
///
///   1/m = g P gᵀ,   P = M⁻¹ less what equalities of the island hold                               (DRV-2)
///   D = ½hk max(0, 1 - m/(h²k));   δ(z) = 1/(1 - e^-z) - 1/z,  z = h(d + D)/m                     (DRV-3)
///   F = -k(x^ + (½ - θ)h u^) - (d + D)(u^ - w),   R = 1/(hδ(d + D) + max(¼, ½(1 - θ))h²k)
///   u = g v⁺ - u^ - R h F + R λ,   h F_min ≤ λ ≤ h F_max                                          (DRV-4)
///   s = 1/(1 + R m): s u is what the row misses in velocity, and what counts in the certificate    (DRV-5)
///
/// ¼h²k is the force at the mean of the positions before and after: a linear spring keeps its energy. δ makes damping alone
/// exact. D acts where h²k > m only and damps what the step does not resolve. Effort limits are those of the solve.
namespace cornet {

/// Row data that make λ the impulse of a force law.
struct ImplicitForce {
  double bias = 0.0;        // -u^ - R h F
  double compliance = 0.0;  // R
  double share = 1.0;       // s
};
/// `rate` is u^, `inverse_mass` 1/m.                                                     (DRV-3), (DRV-4)
ImplicitForce calcImplicitForce(const ForceLaw& force, double rate, double inverse_mass, double h, double theta);

/// Buffers are kept between steps.
class DriveRows {
 public:
  DriveRows();

  /// Sets bias and compliance of all constraints of the island with a force law; M is that of the island.
  void set(const StepView& step, const Island& island, const BlockDiagonalMatrix& M);

 private:
  void collectHeld(const StepView& step, const Island& island);
  double calcInverseMass(const StepView& step, const StepConstraint& drive, Eigen::Index dofs);

  HeldFactor factor_;
  HeldRowList held_;
  HeldRowList drive_row_;
  VectorXd row_, moved_;
};

}  // namespace cornet
