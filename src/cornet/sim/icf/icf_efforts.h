#pragma once

#include <vector>

#include "cornet/sim/step_constraint.h"
#include "cornet/world/controller.h"

/// Efforts that a controller gives to joints, taken implicitly along the rates of their own joints:
///
///   K = max(0, -de/du) at x̃ = (q0 ⊕ h v0, v0),  u changing by M⁻¹Jᵀ and places along with h,   e = e(x̃) - K (u - u0)   (ICF-31)
///
/// One evaluation of the controller for each effort and one more. Joints of links of trees keep theirs as it is given.
namespace cornet {

/// K ≥ 0 of an effort and u0; both 0 where it is held.
struct IcfEffort {
  double gain = 0.0;
  double rate = 0.0;
};

class IcfEffortLinearizer {
 public:
  /// One entry for each constraint, placed at the start; `input` of those that are linearised becomes e(x̃). Throws
  /// std::invalid_argument when an effort is not finite.
  void linearize(const WorldModel& world, const State& state, double h, const Controller& controller,
                 std::vector<StepConstraint>& constraints, std::vector<IcfEffort>& efforts);

 private:
  /// The effort that the controller gives a joint; NaN: none.
  double ask(const Controller& controller, const State& at, const WorldModel& world, int joint);
  bool findPush(const WorldModel& world, const StepConstraint& constraint);

  State ahead_, moved_;
  StepInputs asked_;
  VectorXd push_;  // M⁻¹Jᵀ/w
};

}  // namespace cornet
