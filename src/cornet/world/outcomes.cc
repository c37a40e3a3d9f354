#include "cornet/world/outcomes.h"

#include <algorithm>

#include <Eigen/Geometry>

namespace cornet {

JointReader::JointReader(const WorldModel& world) : world_(world) {
  for (int k = 0; k < static_cast<int>(world.constraints().size()); ++k) {
    before_.emplace_back(world, k);
    after_.emplace_back(world, k);
  }
}

// What one constraint of a joint adds to its outcome.
void JointReader::addConstraint(int index, const ConstraintOutcome& done, const BodyStates& before, double dt, const Vector3d& arm,
                                JointOutcome& outcome) {
  ConstraintView& now = after_[static_cast<std::size_t>(index)];
  const VectorXd& rate = now.calcRate();
  outcome.error = std::max(outcome.error, calcConstraintError(world_, now, now.evaluate()).metres);
  if (!done.is_active) return;
  if (now.constraint().law().kind == LawKind::box) {
    ConstraintView& earlier = before_[static_cast<std::size_t>(index)];
    earlier.place(before);
    outcome.effort += done.impulse[0] / dt;
    outcome.power += done.impulse[0] / dt * (0.5 * (earlier.calcRate()[0] + rate[0]));
    return;
  }
  // A constraint of one body acts on that body.
  const BodyImpulse& on_b = done.bodies[done.bodies.size() > 1 ? 1 : 0];
  const Vector3d linear = on_b.linear / dt;
  const Vector3d angular = on_b.angular / dt;
  outcome.force += linear;
  outcome.torque += angular - arm.cross(linear) + done.lag / dt;
}

void JointReader::calcOutcomes(const BodyStates& before, const BodyStates& after, double dt,
                               std::span<const ConstraintOutcome> constraints, std::vector<JointOutcome>& joints) {
  joints.assign(world_.joints().size(), {});
  for (ConstraintView& view : after_) view.place(after);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const WorldJoint& joint = world_.joints()[j];
    const JointReading reading = after_[static_cast<std::size_t>(joint.first)].calcReading();
    joints[j].position = reading.position;
    joints[j].rate = reading.rate;
    const Vector3d& arm = constraints[static_cast<std::size_t>(joint.first)].arm;
    for (int k = joint.first; k < joint.first + joint.count; ++k) {
      addConstraint(k, constraints[static_cast<std::size_t>(k)], before, dt, arm, joints[j]);
    }
  }
}

}  // namespace cornet
