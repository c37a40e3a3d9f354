// Joints of a world from their options.
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_coupling.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/world/world_model.h"

namespace cornet {
namespace {

using Parts = std::vector<std::unique_ptr<Constraint>>;

// What a joint is made between, as the bodies stand at the start.
struct JointPlace {
  std::size_t a, b;
  InertialState state_a, state_b;
  JointFrame frame;
  JointAxis axis;
};

void require(bool good, const std::string& fault) {
  if (!good) throw std::invalid_argument(fault);
}

template <class Part, class... More>
void add(Parts& parts, const JointPlace& place, More... more) {
  parts.push_back(std::make_unique<Part>(place.a, place.b, place.frame, place.axis, more...));
}

void addLimits(const JointPlace& place, const JointLimitOptions& limits, Parts& parts) {
  require(limits.lower <= limits.upper, fmt::format("limits from {} to {}: expected lower ≤ upper", limits.lower, limits.upper));
  require(limits.restitution >= 0.0 && limits.restitution <= 1.0,
          fmt::format("limits with restitution {}: expected a number from 0 to 1", limits.restitution));
  if (limits.lower > -std::numeric_limits<double>::infinity()) {
    add<JointLimit>(parts, place, LimitSide::lower, limits.lower, limits.restitution);
  }
  if (limits.upper < std::numeric_limits<double>::infinity()) {
    add<JointLimit>(parts, place, LimitSide::upper, limits.upper, limits.restitution);
  }
}

// Limits and drives that are asked for.
void addDrives(const JointPlace& place, const AxisJointOptions& options, Parts& parts) {
  addLimits(place, options.limits, parts);
  const JointMotorOptions& motor = options.motor;
  const JointServoOptions& servo = options.servo;
  const JointSpringOptions& spring = options.spring;
  const bool has_motor = motor.max_effort != 0.0;
  const bool has_servo = servo.kp != 0.0 || servo.kd != 0.0;
  require(has_motor || motor.speed == 0.0,
          fmt::format("motor with speed {} and no effort: give it a max_effort > 0", motor.speed));
  require(has_servo || (servo.target == 0.0 && servo.rate == 0.0),
          fmt::format("servo with target {} and no gains: give it kp, kd or both", servo.target));
  require(!(has_motor && has_servo), "motor and servo would work against each other: give one of them");
  require(spring.stiffness != 0.0 || spring.rest == 0.0,
          fmt::format("spring with rest {} and no stiffness: give it a stiffness > 0", spring.rest));
  if (has_motor) add<JointMotor>(parts, place, motor.speed, motor.max_effort);
  if (has_servo) {
    add<JointServo>(parts, place, servo.kp, servo.kd, servo.target, servo.max_effort);
    static_cast<JointServo&>(*parts.back()).setTarget(servo.target, servo.rate);
  }
  if (spring.stiffness != 0.0) add<JointSpring>(parts, place, spring.stiffness, spring.rest);
  if (options.effort) add<JointEffort>(parts, place, *options.effort);
  if (options.damping != 0.0) add<JointDamper>(parts, place, options.damping);
  if (options.friction != 0.0) add<JointFriction>(parts, place, options.friction);
}

template <class Joint>
Parts makeAxisJoint(const JointPlace& place, const AxisJointOptions& options) {
  auto joint = std::make_unique<Joint>(place.a, place.b, place.state_a, place.state_b, options.anchor, options.axis);
  JointPlace driven = place;
  driven.frame = joint->frame();
  driven.axis = std::is_same_v<Joint, HingeJoint> ? JointAxis::angle : JointAxis::slide;
  Parts parts;
  parts.push_back(std::move(joint));
  addDrives(driven, options, parts);
  return parts;
}

template <class Joint, class... More>
Parts makeJoint(const JointPlace& place, const More&... more) {
  Parts parts;
  parts.push_back(std::make_unique<Joint>(place.a, place.b, place.state_a, place.state_b, more...));
  return parts;
}

Parts makeDistance(const JointPlace& place, const DistanceOptions& options) {
  const Vector3d p_A = options.anchor_a.value_or(place.state_a.position);
  const Vector3d p_B = options.anchor_b.value_or(place.state_b.position);
  const double length = options.length != 0.0 ? options.length : (p_B - p_A).norm();
  require(std::isfinite(length) && length > 0.0,
          fmt::format("length {}: expected a number > 0; where both anchors meet, a ball joint holds them", length));
  Parts parts;
  parts.push_back(std::make_unique<DistanceConstraint>(place.a, place.b, place.state_a.pointToBody(p_A),
                                                       place.state_b.pointToBody(p_B), length));
  return parts;
}

// What a coupling takes of a joint, which must be a hinge or a slider.
CouplingTerm makeTerm(const WorldModel& world, const WorldJoint& joint, double ratio) {
  require(std::isfinite(ratio) && ratio != 0.0,
          fmt::format("ratio {} of joint '{}': expected a finite number that is not 0", ratio, joint.name));
  const Constraint& main = *world.constraints()[static_cast<std::size_t>(joint.first)];
  if (const auto* hinge = dynamic_cast<const HingeJoint*>(&main)) {
    return {main.bodyAIndex(), main.bodyBIndex(), hinge->frame(), JointAxis::angle, ratio};
  }
  if (const auto* slider = dynamic_cast<const SliderJoint*>(&main)) {
    return {main.bodyAIndex(), main.bodyBIndex(), slider->frame(), JointAxis::slide, ratio};
  }
  throw std::invalid_argument(fmt::format("joint '{}' is a {}: expected a hinge or a slider", joint.name, joint.type));
}

// Makes and adds a joint; what is wrong is told with its name.
template <class Options, class Make>
int addTo(WorldModel& world, const char* type, int a, int b, const Options& options, const Make& make) {
  for (const int body : {a, b}) {
    require(body >= 0 && body < world.totalCount(),
            fmt::format("{} '{}': body {} does not exist, there are {}", type, options.name, body, world.totalCount()));
  }
  const std::string name = options.name.empty() ? world.makeJointName(type, a, b) : options.name;
  require(a != b, fmt::format("joint '{}': both of its bodies are '{}': expected two different ones", name, world.nameOf(a)));
  require(a < world.bodyCount() || b < world.bodyCount(),
          fmt::format("joint '{}': neither '{}' nor '{}' moves: expected a body that does", name, world.nameOf(a),
                      world.nameOf(b)));
  const State start = world.makeState();
  const JointPlace place{static_cast<std::size_t>(a), static_cast<std::size_t>(b), world.calcBodyState(a, start),
                         world.calcBodyState(b, start), {}, JointAxis::angle};
  int joint = -1;
  try {
    joint = world.addJoint(name, make(place));
  } catch (const std::invalid_argument& fault) {
    const std::string what = fault.what();
    throw std::invalid_argument(what.starts_with("joint '") ? what : fmt::format("joint '{}': {}", name, what));
  }
  if (!options.collide) world.excludeBodies(a, b);
  return joint;
}

}  // namespace

std::string WorldModel::makeJointName(std::string_view type, int body_a, int body_b) const {
  const std::string name = fmt::format("{} {}-{}", type, nameOf(body_a), nameOf(body_b));
  std::string unique = name;
  for (int k = 2; findJoint(unique) >= 0; ++k) unique = fmt::format("{} {}", name, k);
  return unique;
}

int WorldModel::addHinge(int a, int b, const HingeOptions& options) {
  return addTo(*this, "hinge", a, b, options,
               [&](const JointPlace& place) { return makeAxisJoint<HingeJoint>(place, options); });
}

int WorldModel::addSlider(int a, int b, const SliderOptions& options) {
  return addTo(*this, "slider", a, b, options,
               [&](const JointPlace& place) { return makeAxisJoint<SliderJoint>(place, options); });
}

int WorldModel::addBall(int a, int b, const BallOptions& options) {
  return addTo(*this, "ball", a, b, options,
               [&](const JointPlace& place) { return makeJoint<BallJoint>(place, options.anchor); });
}

int WorldModel::addFixed(int a, int b, const FixedOptions& options) {
  return addTo(*this, "fixed", a, b, options,
               [&](const JointPlace& place) { return makeJoint<FixedJoint>(place, options.anchor); });
}

int WorldModel::addUniversal(int a, int b, const UniversalOptions& options) {
  return addTo(*this, "universal", a, b, options, [&](const JointPlace& place) {
    return makeJoint<UniversalJoint>(place, options.anchor, options.axis_a, options.axis_b);
  });
}

int WorldModel::addDistance(int a, int b, const DistanceOptions& options) {
  return addTo(*this, "distance", a, b, options, [&](const JointPlace& place) { return makeDistance(place, options); });
}

int WorldModel::addCoupling(const std::vector<CoupledJoint>& joints, const CouplingOptions& options) {
  std::string name = options.name.empty() ? "coupling" : options.name;
  std::vector<CouplingTerm> terms;
  try {
    require(joints.size() >= 2, fmt::format("it couples {} joints: expected at least 2", joints.size()));
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const int joint = joints[k].joint;
      require(joint >= 0 && joint < static_cast<int>(joints_.size()),
              fmt::format("joint {} does not exist, there are {}", joint, joints_.size()));
      const WorldJoint& own = joints_[static_cast<std::size_t>(joint)];
      for (std::size_t other = 0; other < k; ++other) {
        require(joints[other].joint != joint, fmt::format("joint '{}' is named twice: give it one ratio", own.name));
      }
      terms.push_back(makeTerm(*this, own, joints[k].ratio));
      if (options.name.empty()) name += (k == 0 ? " " : "-") + own.name;
    }
    const std::string base = name;
    for (int k = 2; options.name.empty() && findJoint(name) >= 0; ++k) name = fmt::format("{} {}", base, k);
    Parts parts;
    parts.push_back(std::make_unique<JointCoupling>(terms, options.offset));
    return addJoint(name, std::move(parts));
  } catch (const std::invalid_argument& fault) {
    const std::string what = fault.what();
    throw std::invalid_argument(what.ends_with("exists twice") ? what : fmt::format("coupling '{}': {}", name, what));
  }
}

// The part of this kind that a joint has.
template <class Part>
Part& WorldModel::partOf(int joint, const char* kind) {
  if (joint < 0 || joint >= static_cast<int>(joints_.size())) {
    throw std::invalid_argument(fmt::format("joint {} does not exist, there are {}", joint, joints_.size()));
  }
  const WorldJoint& found = joints_[static_cast<std::size_t>(joint)];
  for (int k = found.first; k < found.first + found.count; ++k) {
    if (auto* part = dynamic_cast<Part*>(constraints_[static_cast<std::size_t>(k)].get())) return *part;
  }
  throw std::invalid_argument(fmt::format("joint '{}' has no {}: give it one when it is added", found.name, kind));
}

void WorldModel::setMotorSpeed(int joint, double speed) { partOf<JointMotor>(joint, "motor").setSpeed(speed); }

void WorldModel::setServoTarget(int joint, double target, double rate) {
  partOf<JointServo>(joint, "servo").setTarget(target, rate);
}

void WorldModel::setEffort(int joint, double effort) { partOf<JointEffort>(joint, "given effort").setEffort(effort); }

}  // namespace cornet
