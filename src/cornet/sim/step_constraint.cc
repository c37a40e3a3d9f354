#include "cornet/sim/step_constraint.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr double kShortDrift = 0.1;  // as for contacts

std::string labelOf(const StepConstraint& constraint) {
  return fmt::format("constraint {} ({})", constraint.index, constraint.constraint->typeName());
}

}  // namespace

std::vector<StepConstraint> makeStepConstraints(const WorldModel& world) {
  std::vector<StepConstraint> result;
  int first = 0;
  for (const std::unique_ptr<Constraint>& constraint : world.constraints()) {
    StepConstraint step;
    step.constraint = constraint.get();
    step.index = static_cast<int>(result.size());
    step.a = static_cast<int>(constraint->bodyAIndex());
    step.b = constraint->bodyCount() == 2 ? static_cast<int>(constraint->bodyBIndex()) : -1;
    step.first = first;
    const ConstraintLaw law = constraint->law();
    step.kind = law.kind;
    step.bounds = law.bounds;
    first += constraint->dimension();
    if (law.kind == LawKind::cone) {
      throw std::invalid_argument(fmt::format(
          "{}: friction cones of a world come from its shapes; give bodies shapes and materials", labelOf(step)));
    }
    result.push_back(std::move(step));
  }
  return result;
}

void beginConstraint(double time, const std::vector<StepBody>& bodies, StepConstraint& constraint) {
  const InertialState& a = bodies[constraint.a].start;
  const InertialState& b = bodies[constraint.b < 0 ? constraint.a : constraint.b].start;
  const Constraint& law = *constraint.constraint;
  constraint.impulse.setZero(law.dimension());
  constraint.C = law.evaluate(a, b, time);
  constraint.rate_before = calcRate(calcVelocityJacobian(law, a, b, time, labelOf(constraint)), a, b);
}

void turnConstraint(double time, double h, double theta, const std::vector<StepBody>& bodies,
                    StepConstraint& constraint) {
  const double now = time + theta * h;
  const InertialState a = calcKickState(bodies[constraint.a], theta * h);
  const InertialState b = constraint.b < 0 ? a : calcKickState(bodies[constraint.b], theta * h);
  const Constraint& law = *constraint.constraint;
  constraint.J = calcVelocityJacobian(law, a, b, now, labelOf(constraint));
  constraint.target = law.targetRate(a, b, now);
  const VectorXd& w = constraint.target;
  VectorXd turning = VectorXd::Zero(w.size());
  if (theta >= kShortDrift) turning = (1.0 - theta) / theta * (calcRate(constraint.J, a, b) - constraint.rate_before);
  constraint.bias = -w;
  if (constraint.kind == LawKind::equality) constraint.bias += turning;
  if (constraint.kind != LawKind::unilateral) return;
  const VectorXd rebound = law.reboundRate(a, b, now);
  for (Eigen::Index k = 0; k < w.size(); ++k) {
    const double closing = constraint.C[k] + h * (constraint.rate_before[k] - w[k]);
    if (rebound[k] > 0.0 && closing <= 0.0) {
      constraint.bias[k] -= rebound[k];
    } else {
      constraint.bias[k] += constraint.C[k] > 0.0 ? constraint.C[k] / h : turning[k];
    }
  }
}

}  // namespace cornet
