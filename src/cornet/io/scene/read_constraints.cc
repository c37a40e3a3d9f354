#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/io/scene/scene_parts.h"

namespace cornet {
namespace {

// Two bodies as they stand at the start.
struct JointedPair {
  std::size_t a = 0, b = 0;
  InertialState state_a, state_b;
};

InertialState startOf(const WorldModel& world, int body) {
  return body < world.bodyCount() ? world.body(body).initial()
                                  : world.environment(body - world.bodyCount()).calcState(0.0);
}

using Constraints = std::vector<std::unique_ptr<Constraint>>;

// Limits and a motor of the free direction. Angles carry their unit in the key.
void readDrives(TableReader& table, const JointedPair& pair, const JointFrame& frame, JointAxis axis,
                Constraints& parts) {
  const auto bound = [&](const std::string& name) -> std::optional<double> {
    if (axis == JointAxis::slide) return table.has(name) ? std::optional(table.number(name)) : std::nullopt;
    const bool given = table.has(name + "_deg") || table.has(name + "_rad");
    table.has(name + "_rad");
    return given ? std::optional(table.angle(name)) : std::nullopt;
  };
  if (const auto lower = bound("lower")) {
    parts.push_back(std::make_unique<JointLimit>(pair.a, pair.b, frame, axis, LimitSide::lower, *lower));
  }
  if (const auto upper = bound("upper")) {
    parts.push_back(std::make_unique<JointLimit>(pair.a, pair.b, frame, axis, LimitSide::upper, *upper));
  }
  if (!table.has("motor_speed")) return;
  const double speed = table.number("motor_speed");
  const double effort = table.number("max_effort", Limits::atLeast(0.0));
  parts.push_back(std::make_unique<JointMotor>(pair.a, pair.b, frame, axis, speed, effort));
}

std::unique_ptr<Constraint> makeDistance(TableReader& table, const JointedPair& pair) {
  const Vector3d anchor_a = table.vector3("anchor_a", {}, pair.state_a.position);
  const Vector3d anchor_b = table.vector3("anchor_b", {}, pair.state_b.position);
  const double length = table.number("length", Limits::positive(), (anchor_b - anchor_a).norm());
  return std::make_unique<DistanceConstraint>(pair.a, pair.b, pair.state_a.pointToBody(anchor_a),
                                              pair.state_b.pointToBody(anchor_b), length);
}

// The joint itself first, then its limits and motor.
Constraints makeJoint(TableReader& table, const std::string& type, const JointedPair& pair) {
  const auto& [a, b, state_a, state_b] = pair;
  Constraints parts;
  if (type == "distance") {
    parts.push_back(makeDistance(table, pair));
    return parts;
  }
  const Vector3d anchor = table.vector3("anchor");
  if (type == "ball") {
    parts.push_back(std::make_unique<BallJoint>(a, b, state_a, state_b, anchor));
  } else if (type == "fixed") {
    parts.push_back(std::make_unique<FixedJoint>(a, b, state_a, state_b, anchor));
  } else if (type == "hinge") {
    auto joint = std::make_unique<HingeJoint>(a, b, state_a, state_b, anchor, table.vector3("axis"));
    const JointFrame frame = joint->frame();
    parts.push_back(std::move(joint));
    readDrives(table, pair, frame, JointAxis::angle, parts);
  } else {
    auto joint = std::make_unique<SliderJoint>(a, b, state_a, state_b, anchor, table.vector3("axis"));
    const JointFrame frame = joint->frame();
    parts.push_back(std::move(joint));
    readDrives(table, pair, frame, JointAxis::slide, parts);
  }
  return parts;
}

}  // namespace

void readConstraints(TableReader& root, WorldModel& world) {
  for (TableReader& table : root.tables("constraint")) {
    const int before = table.faults();
    const std::string type = table.word("type", {"ball", "hinge", "slider", "fixed", "distance"});
    const int a = readBodyName(table, "a", world);
    const int b = readBodyName(table, "b", world);
    if (table.faults() > before) {
      table.ignoreRest();
      continue;
    }
    const JointedPair pair{static_cast<std::size_t>(a), static_cast<std::size_t>(b), startOf(world, a),
                           startOf(world, b)};
    guard(table, "", "see docs/formats/scene.md", [&] {
      const std::string name = table.has("name") ? table.string("name") : world.makeJointName(type, a, b);
      world.addJoint(name, makeJoint(table, type, pair));
    });
  }
}

}  // namespace cornet
