#include "cornet/world/outcomes.h"

#include <algorithm>

#include <Eigen/Geometry>

#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

// The mean of the rates before and after, row by row.
VectorXd calcMeanRate(const ConstraintView& before, const ConstraintView& after) {
  return 0.5 * (before.calcRate() + after.calcRate());
}

}  // namespace

void calcJointOutcomes(const WorldModel& world, const BodyStates& before, const BodyStates& after, double dt,
                       std::span<const ConstraintOutcome> constraints, std::vector<JointOutcome>& joints) {
  joints.clear();
  if (world.joints().empty()) return;
  joints.resize(world.joints().size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const WorldJoint& joint = world.joints()[j];
    JointOutcome& outcome = joints[j];
    const ConstraintView main(world, joint.first, after);
    const JointReading reading = main.calcReading();
    outcome.position = reading.position;
    outcome.rate = reading.rate;
    const Vector3d& arm = constraints[static_cast<std::size_t>(joint.first)].arm;
    for (int k = joint.first; k < joint.first + joint.count; ++k) {
      const ConstraintView now(world, k, after);
      outcome.error = std::max(outcome.error, calcConstraintError(world, now).metres);
      const ConstraintOutcome& done = constraints[static_cast<std::size_t>(k)];
      if (!done.is_active) continue;
      if (now.constraint.law().kind == LawKind::box) {
        const double mean_rate = calcMeanRate(ConstraintView(world, k, before), now)[0];
        outcome.effort += done.impulse[0] / dt;
        outcome.power += done.impulse[0] / dt * mean_rate;
        continue;
      }
      // A constraint of one body acts on that body.
      const BodyImpulse& on_b = done.bodies[done.bodies.size() > 1 ? 1 : 0];
      const Vector3d linear = on_b.linear / dt;
      const Vector3d angular = on_b.angular / dt;
      outcome.force += linear;
      outcome.torque += angular - arm.cross(linear);
    }
  }
}

}  // namespace cornet
