#include "cornet/sim/step_constraint.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr double kNoDrift = 1e-6;  // of the step: kicks before that see no rows turn

[[noreturn]] void refuse(const StepConstraint& constraint, const std::string& fault) {
  throw std::invalid_argument(constraint.law.label() + ": " + fault);
}

// What users' functions return must fit.
void requireValues(const StepConstraint& constraint, const char* what, const VectorXd& values) {
  const int dimension = constraint.law.constraint().dimension();
  if (values.size() != dimension) {
    refuse(constraint, fmt::format("{} has {} entries: expected {}, its dimension", what, values.size(), dimension));
  }
  if (!values.allFinite()) refuse(constraint, fmt::format("{} is not finite", what));
}

void requireLaw(const StepConstraint& step, const ConstraintLaw& law) {
  if (law.kind == LawKind::cone) {
    refuse(step, "friction cones of a world come from its shapes; give bodies shapes and materials");
  }
  if (step.law.constraint().dimension() < 1) refuse(step, "no rows: expected a dimension of at least 1");
  requireMembers(step.law.label(), step.law.constraint());
  if (!(law.bounds.lower <= law.bounds.upper)) {
    refuse(step, fmt::format("bounds [{}, {}]: expected lower ≤ upper", law.bounds.lower, law.bounds.upper));
  }
}

}  // namespace

std::vector<StepConstraint> makeStepConstraints(const WorldModel& world) {
  std::vector<StepConstraint> result;
  int first = 0;
  for (const std::unique_ptr<Constraint>& constraint : world.constraints()) {
    const std::string label = fmt::format("constraint {} ({})", result.size(), constraint->typeName());
    StepConstraint step{PlacedConstraint(*constraint, label)};
    step.drive = dynamic_cast<const JointDrive*>(constraint.get());
    step.index = static_cast<int>(result.size());
    for (int k = 0; k < constraint->bodyCount(); ++k) step.bodies.push_back(static_cast<int>(constraint->bodyIndex(k)));
    step.first = first;
    const ConstraintLaw law = constraint->law();
    step.kind = law.kind;
    step.bounds = law.bounds;
    first += constraint->dimension();
    requireLaw(step, law);
    result.push_back(std::move(step));
  }
  return result;
}

void beginConstraint(double time, const std::vector<StepBody>& bodies, bool is_in, StepConstraint& constraint) {
  const Constraint& law = constraint.law.constraint();
  constraint.law.place(time, [&](int body) { return bodies[body].start; });
  constraint.impulse.setZero(law.dimension());
  constraint.u_after.setZero(law.dimension());
  constraint.inverse_mass.setZero(law.dimension());
  constraint.is_active = is_in && constraint.law.isActive();
  constraint.C = constraint.law.evaluate();
  requireValues(constraint, "evaluate()", constraint.C);
  for (PoseImpulse& impulse : constraint.drift_impulses) impulse.reset(law);
  constraint.kick_wrench.setZero(6 * law.bodyCount());
  constraint.taut.setZero(3 * law.bodyCount());
}

double StepConstraint::calcSteadyImpulse(Eigen::Index row) const {
  double total = impulse[row] - drift_impulses[static_cast<std::size_t>(JointStage::settled)].rows[row];
  for (const PoseImpulse& other : drift_impulses) total += other.rows[row];
  return total;
}

void StepConstraint::calcTotalImpulse(VectorXd& total) const {
  total = impulse;
  for (const PoseImpulse& other : drift_impulses) total += other.rows;
}

void readRate(double time, const std::vector<StepBody>& bodies, StepConstraint& constraint) {
  constraint.law.place(time, [&](int body) { return bodies[body].start; });
  constraint.rate_before = constraint.law.calcRate();
}

void readPull(const StepMemory& memory, StepConstraint& constraint) {
  const auto rows = constraint.law.constraint().dimension();
  const auto first = static_cast<std::size_t>(constraint.first);
  constraint.pull.setZero(rows);
  if (!(memory.dt > 0.0) || first + static_cast<std::size_t>(rows) > memory.constraint_impulses.size()) return;
  constraint.pull = Eigen::Map<const VectorXd>(memory.constraint_impulses.data() + first, rows) / memory.dt;
}

void turnConstraint(double time, double h, double theta, const std::vector<StepBody>& bodies,
                    StepConstraint& constraint) {
  const double time_of_kick = time + theta * h;
  const Constraint& law = constraint.law.constraint();
  constraint.law.place(time_of_kick, [&](int body) { return calcJointKickState(bodies[body], theta * h); });
  const MemberStates states = constraint.law.states();
  const VectorXd& now = constraint.law.calcRate();
  constraint.J = constraint.law.jacobian();
  constraint.target = constraint.law.calcTargetRate();
  requireValues(constraint, "targetRate()", constraint.target);
  constraint.arm = constraint.law.calcReading().point - constraint.law.stateOfB().position;
  for (Eigen::Index k = 0; k < constraint.J.rows(); ++k) {
    constraint.inverse_mass[k] = 0.0;
    for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
      const StepBody& body = bodies[constraint.bodies[i]];
      if (!body.moves()) continue;
      const Vector3d linear = constraint.J.row(k).segment<3>(static_cast<Eigen::Index>(6 * i));
      const Vector3d angular = constraint.J.row(k).segment<3>(static_cast<Eigen::Index>(6 * i + 3));
      constraint.inverse_mass[k] +=
          linear.squaredNorm() / body.asset->mass().mass + angular.dot(body.inverse_inertia * angular);
    }
  }
  const VectorXd& w = constraint.target;
  constraint.bias = -w;
  // Bodies hang on surroundings that have changed their velocity, which the assembly adds, to that at the end.
  if (constraint.kind == LawKind::equality) constraint.bias = -constraint.law.calcTargetRate(time + h);
  if (constraint.kind == LawKind::box) {
    // Efforts may be set between steps.
    const JointDrive* drive = constraint.drive;
    constraint.bounds = drive ? drive->boundsWith(constraint.input) : law.law().bounds;
    if (drive) constraint.bias[0] = -drive->rateWith(constraint.input);
    constraint.compliance = 0.0;
    constraint.share = 1.0;
    constraint.force =
        drive ? drive->forceLawWith(constraint.input, states[0], states[1]) : law.forceLawAt(states, time_of_kick);
    if (!constraint.force) {
      // A rate is held at the end of the step: what joints change on the way there is what they changed on the way to the kick.
      if (theta > kNoDrift) constraint.bias += (1.0 - theta) / theta * (now - constraint.rate_before);
      return;
    }
    requireForceLaw(constraint.law.label(), *constraint.force, law.dimension());
    constraint.kick_rate = now[0];  // bias and compliance follow with the island's masses
    return;
  }
  if (constraint.kind != LawKind::unilateral) return;
  const VectorXd& rebound = constraint.law.calcReboundRate();
  requireValues(constraint, "reboundRate()", rebound);
  constraint.way_back.setZero(w.size());
  constraint.turning.setZero(w.size());
  for (Eigen::Index k = 0; k < w.size(); ++k) {
    const double before = constraint.rate_before[k] - w[k];
    const double closing = constraint.C[k] + h * before;
    if (rebound[k] > 0.0 && closing <= 0.0) {
      constraint.bias[k] -= rebound[k];
      const double reached = before < 0.0 ? std::max(0.0, constraint.C[k]) / -before : 0.0;
      constraint.way_back[k] = rebound[k] * (h - reached);
      continue;
    }
    if (theta > kNoDrift) constraint.turning[k] = (1.0 - theta) / theta * (now[k] - constraint.rate_before[k]);
    constraint.bias[k] += constraint.turning[k];
    // What opens at the start may close as fast at the end: that does no work.
    constraint.bias[k] += constraint.C[k] > 0.0 ? constraint.C[k] / h : std::max(0.0, before);
  }
}

}  // namespace cornet
