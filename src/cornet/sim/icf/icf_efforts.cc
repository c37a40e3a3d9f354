#include "cornet/sim/icf/icf_efforts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/sim/icf/icf_linearizer.h"

namespace cornet {
namespace {

constexpr double kRateDifference = 1e-7;  // of rates, or of 1 rad/s or m/s: half the digits

}  // namespace

double IcfEffortLinearizer::ask(const Controller& controller, const State& at, const WorldModel& world, int joint) {
  asked_.clear(at.user.size());
  controller(at.time, at, asked_);
  double effort = std::numeric_limits<double>::quiet_NaN();
  for (const JointInput& input : asked_.joints) {
    if (input.joint != joint || !input.effort) continue;
    effort = *input.effort;
    if (std::isfinite(effort)) continue;
    throw std::invalid_argument(fmt::format("input for joint '{}': effort = {}: expected a finite number",
                                            world.joints()[static_cast<std::size_t>(joint)].name, effort));
  }
  return effort;
}

// What an effort does to the velocities of its bodies, for a change of its rate by 1. False where links of trees are among them.
bool IcfEffortLinearizer::findPush(const WorldModel& world, const StepConstraint& constraint) {
  push_.setZero(ahead_.v.size());
  double rate = 0.0;
  for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
    const int body = constraint.bodies[i];
    if (body >= world.bodyCount()) continue;
    if (body >= world.freeCount()) return false;
    const Eigen::Matrix<double, 6, 1> J = constraint.law.jacobian().row(0).segment<6>(static_cast<Eigen::Index>(6 * i)).transpose();
    auto push = push_.segment<6>(6 * body);
    push.head<3>() = J.head<3>() / world.body(body).mass().mass;
    push.tail<3>() = world.body(body).inertia().calcInverse(ahead_.body(body).orientation) * J.tail<3>();
    rate += J.dot(push);
  }
  if (!(rate > 0.0)) return false;
  push_ /= rate;
  return true;
}

void IcfEffortLinearizer::linearize(const WorldModel& world, const State& state, double h, const Controller& controller,
                                    std::vector<StepConstraint>& constraints, std::vector<IcfEffort>& efforts) {
  efforts.assign(constraints.size(), {});
  bool is_ahead = false;
  for (std::size_t j = 0; j < world.joints().size(); ++j) {
    const WorldJoint& joint = world.joints()[j];
    for (int c = joint.first; c < joint.first + joint.count; ++c) {
      StepConstraint& constraint = constraints[static_cast<std::size_t>(c)];
      if (!constraint.input.effort || dynamic_cast<const JointEffort*>(constraint.drive) == nullptr) continue;
      if (!is_ahead) {
        ahead_ = state;
        advanceState(world, state.v, h, ahead_);
        is_ahead = true;
      }
      const double rate = constraint.law.calcRate()[0];
      if (!findPush(world, constraint)) continue;
      const double effort = ask(controller, ahead_, world, static_cast<int>(j));
      const double change = kRateDifference * std::max(1.0, std::abs(rate));
      moved_ = ahead_;
      moved_.v += change * push_;
      advanceState(world, push_, change * h, moved_);
      const double gain = -(ask(controller, moved_, world, static_cast<int>(j)) - effort) / change;
      if (!(gain > 0.0)) continue;  // also where one of the two states has no effort
      constraint.input.effort = effort;
      efforts[static_cast<std::size_t>(c)] = {gain, rate};
    }
  }
}

}  // namespace cornet
