#include "cornet/sim/take_inputs.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/math/rotation.h"

namespace cornet {
namespace {

void takeForce(const WorldModel& world, const BodyInput& input, std::span<BodyForce> forces) {
  if (input.body < 0 || input.body >= world.bodyCount()) {
    throw std::invalid_argument(
        fmt::format("input for body {}: expected the number of one of the {} bodies that move", input.body, world.bodyCount()));
  }
  if (!input.force.allFinite() || !input.torque.allFinite()) {
    throw std::invalid_argument(
        fmt::format("input for body '{}': force or torque is not finite", world.body(input.body).name()));
  }
  forces[static_cast<std::size_t>(input.body)].force += input.force;
  forces[static_cast<std::size_t>(input.body)].torque += input.torque;
}

// The drive of a joint that takes this kind of value.
template <class Drive>
StepConstraint& findDrive(const WorldJoint& joint, const char* what, const char* drive, double value,
                          std::vector<StepConstraint>& constraints) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("input for joint '{}': {} = {}: expected a finite number", joint.name, what, value));
  }
  for (int k = joint.first; k < joint.first + joint.count; ++k) {
    StepConstraint& constraint = constraints[static_cast<std::size_t>(k)];
    if (dynamic_cast<const Drive*>(constraint.drive) != nullptr) return constraint;
  }
  throw std::invalid_argument(fmt::format("input for joint '{}': {} = {}, but it has no {}: give it one when it is added",
                                          joint.name, what, value, drive));
}

void takeJoint(const WorldModel& world, const JointInput& input, std::vector<StepConstraint>& constraints) {
  if (input.joint < 0 || input.joint >= static_cast<int>(world.joints().size())) {
    throw std::invalid_argument(
        fmt::format("input for joint {}: expected the number of one of {} joints", input.joint, world.joints().size()));
  }
  const WorldJoint& joint = world.joints()[static_cast<std::size_t>(input.joint)];
  if (input.target) {
    findDrive<JointServo>(joint, "target", "servo", *input.target, constraints).input.target = input.target;
  }
  if (input.rate) findDrive<JointServo>(joint, "rate", "servo", *input.rate, constraints).input.rate = input.rate;
  if (input.speed) findDrive<JointMotor>(joint, "speed", "motor", *input.speed, constraints).input.rate = input.speed;
  if (input.effort) {
    findDrive<JointEffort>(joint, "effort", "given effort", *input.effort, constraints).input.effort = input.effort;
  }
}

void takeControl(const WorldModel& world, const ControlInput& input, std::vector<StepTree>& trees) {
  if (input.tree < 0 || input.tree >= world.treeCount()) {
    throw std::invalid_argument(fmt::format("control for tree {}: expected the number of one of {} trees", input.tree, world.treeCount()));
  }
  const StepTree& tree = trees[static_cast<std::size_t>(input.tree)];
  const std::span<const TreeActuator> actuators = tree.tree->actuators();
  if (input.actuator < 0 || input.actuator >= static_cast<int>(actuators.size())) {
    throw std::invalid_argument(fmt::format("control for actuator {} of the tree of '{}': expected the number of one of its {} actuators",
                                            input.actuator, world.nameOf(tree.first), actuators.size()));
  }
  if (!std::isfinite(input.value)) {
    throw std::invalid_argument(fmt::format("control for actuator '{}': {}: expected a finite number",
                                            actuators[static_cast<std::size_t>(input.actuator)].name, input.value));
  }
  tree.cache->control[input.actuator] = input.value;
}

}  // namespace

void takeGuides(const WorldModel& world, const StepInputs& inputs, double dt, BodyStates& before) {
  for (const GuideInput& input : inputs.guides) {
    const int k = input.body - world.bodyCount();
    if (k < 0 || k >= world.environmentCount()) {
      throw std::invalid_argument(fmt::format("guide for body {}: expected the number of surroundings, {} to {}", input.body, world.bodyCount(), world.totalCount() - 1));
    }
    const std::string& name = world.environment(k).name();
    if (world.guidedOf(k) < 0) throw std::invalid_argument(fmt::format("guide for '{}': it is not Guided, or holds something of its model and stands", name));
    const double norm = input.orientation.norm();
    if (!input.position.allFinite() || !(norm > 0.0) || !std::isfinite(norm)) {
      throw std::invalid_argument(fmt::format("guide for '{}': expected a finite position and an orientation that is not zero", name));
    }
    InertialState& now = before.guided[static_cast<std::size_t>(world.guidedOf(k))];
    now.velocity = (input.position - now.position) / dt;
    now.omega = logMap(input.orientation.normalized() * now.orientation.conjugate()) / dt;
  }
}

void moveGuided(const BodyStates& before, double dt, BodyStates& after) {
  after.guided.resize(before.guided.size());
  for (std::size_t i = 0; i < before.guided.size(); ++i) after.guided[i] = moveSteadily(before.guided[i], dt);
}

void takeControls(const WorldModel& world, const StepInputs& inputs, double dt, const State& state, std::vector<StepTree>& trees) {
  for (int k = 0; k < world.treeCount(); ++k) {
    world.calcControls(k, state.time, dt, trees[static_cast<std::size_t>(k)].cache->control);
  }
  for (const ControlInput& input : inputs.controls) takeControl(world, input, trees);
  for (int k = 0; k < world.treeCount(); ++k) {
    StepTree& tree = trees[static_cast<std::size_t>(k)];
    tree.activation_start = state.activation.segment(world.tree(k).activation_begin, world.tree(k).activation.size());
    tree.activation = tree.activation_start;
    tree.tree->activate(tree.cache->control, dt, tree.activation, tree.cache->activation);
  }
}

void takeInputs(const WorldModel& world, const StepInputs& inputs, std::span<BodyForce> forces,
                std::vector<StepConstraint>& constraints) {
  for (StepConstraint& constraint : constraints) constraint.input = {};
  for (const BodyInput& input : inputs.bodies) takeForce(world, input, forces);
  for (const JointInput& input : inputs.joints) takeJoint(world, input, constraints);
}

}  // namespace cornet
