#include "cornet/io/scene/scene_parts.h"

namespace cornet {
namespace {

// Positions along the free direction of a joint; those of a hinge carry their unit in the key.
struct Positions {
  bool are_angles;

  bool has(TableReader& table, const std::string& name) const {
    if (!are_angles) return table.has(name);
    const bool in_degrees = table.has(name + "_deg");
    return table.has(name + "_rad") || in_degrees;
  }
  double read(TableReader& table, const std::string& name, double otherwise) const {
    return are_angles ? table.angle(name, otherwise) : table.number(name, {}, otherwise);
  }
};

JointLimitOptions readLimits(TableReader table, const Positions& positions) {
  JointLimitOptions limits;
  const bool has_lower = positions.has(table, "lower"), has_upper = positions.has(table, "upper");
  if (has_lower) limits.lower = positions.read(table, "lower", 0.0);
  if (has_upper) limits.upper = positions.read(table, "upper", 0.0);
  if (!has_lower && !has_upper) {
    table.refuse("", "limits without a bound", positions.are_angles ? "expected lower_deg, upper_deg or both"
                                                                    : "expected lower, upper or both");
  }
  limits.restitution = table.number("restitution", Limits::between(0.0, 1.0), 0.0);
  return limits;
}

// Without a limit of its own a drive has all the effort it needs.
double readEffort(TableReader& table) {
  return table.has("max_effort") ? table.number("max_effort", Limits::atLeast(0.0))
                                 : std::numeric_limits<double>::infinity();
}

JointServoOptions readServo(TableReader table, const Positions& positions) {
  JointServoOptions servo;
  servo.kp = table.number("kp", Limits::atLeast(0.0), 0.0);
  servo.kd = table.number("kd", Limits::atLeast(0.0), 0.0);
  if (!table.has("kp") && !table.has("kd")) table.refuse("", "a servo without gains", "expected kp, kd or both");
  servo.target = positions.read(table, "target", 0.0);
  servo.rate = table.number("rate", {}, 0.0);
  servo.max_effort = readEffort(table);
  return servo;
}

AxisJointOptions readAxisJoint(TableReader& table, bool is_hinge) {
  const Positions positions{is_hinge};
  AxisJointOptions options;
  options.anchor = table.vector3("anchor");
  options.axis = table.vector3("axis");
  if (auto limits = table.optionalTable("limits")) options.limits = readLimits(*limits, positions);
  if (auto motor = table.optionalTable("motor")) {
    options.motor.speed = motor->number("speed");
    options.motor.max_effort = readEffort(*motor);
  }
  if (auto servo = table.optionalTable("servo")) options.servo = readServo(*servo, positions);
  if (auto spring = table.optionalTable("spring")) {
    options.spring.stiffness = spring->number("stiffness", Limits::positive());
    options.spring.rest = positions.read(*spring, "rest", 0.0);
  }
  if (table.has("effort")) options.effort = table.number("effort");
  options.damping = table.number("damping", Limits::atLeast(0.0), 0.0);
  options.friction = table.number("friction", Limits::atLeast(0.0), 0.0);
  return options;
}

UniversalOptions readUniversal(TableReader& table) {
  UniversalOptions options;
  options.anchor = table.vector3("anchor");
  options.axis_a = table.vector3("axis_a");
  options.axis_b = table.vector3("axis_b");
  return options;
}

DistanceOptions readDistance(TableReader& table) {
  DistanceOptions options;
  if (table.has("anchor_a")) options.anchor_a = table.vector3("anchor_a");
  if (table.has("anchor_b")) options.anchor_b = table.vector3("anchor_b");
  if (table.has("length")) options.length = table.number("length", Limits::positive());
  return options;
}

// Adds the joint unless something was wrong with its table.
template <class Options, class Add>
void finish(TableReader& table, int before, Options options, const Add& add) {
  options.name = table.string("name", "");
  options.collide = table.boolean("collide", true);
  if (table.faults() > before) return;
  guard(table, "", "see docs/formats/scene.md", [&] { add(options); });
}

void readJoint(TableReader& table, WorldModel& world) {
  const int before = table.faults();
  const std::string type = table.word("type", {"hinge", "slider", "ball", "universal", "fixed", "distance"});
  const int a = readBodyName(table, "a", world);
  const int b = readBodyName(table, "b", world);
  if (table.faults() > before) {
    table.ignoreRest();
    return;
  }
  if (type == "hinge") {
    finish(table, before, readAxisJoint(table, true), [&](const auto& options) { world.addHinge(a, b, options); });
  } else if (type == "slider") {
    finish(table, before, readAxisJoint(table, false), [&](const auto& options) { world.addSlider(a, b, options); });
  } else if (type == "universal") {
    finish(table, before, readUniversal(table), [&](const auto& options) { world.addUniversal(a, b, options); });
  } else if (type == "distance") {
    finish(table, before, readDistance(table), [&](const auto& options) { world.addDistance(a, b, options); });
  } else {
    PointJointOptions point;
    point.anchor = table.vector3("anchor");
    finish(table, before, point, [&](const auto& options) {
      type == "ball" ? world.addBall(a, b, options) : world.addFixed(a, b, options);
    });
  }
}

// Numbers of the joints that a coupling names; fewer where one does not exist.
std::vector<int> readCoupledJoints(TableReader& table, const WorldModel& world) {
  std::vector<int> joints;
  for (const std::string& name : table.strings("joints")) {
    const int joint = findJointName(table, "joints", name, world);
    if (joint >= 0) joints.push_back(joint);
  }
  return joints;
}

void readCoupling(TableReader& table, WorldModel& world) {
  const int before = table.faults();
  CouplingOptions options;
  options.name = table.string("name", "");
  options.offset = table.number("offset", {}, 0.0);
  const std::vector<int> joints = readCoupledJoints(table, world);
  if (table.faults() > before) {
    table.ignoreRest();
    return;
  }
  const std::vector<double> ratios = table.numbers("ratios", joints.size());
  if (table.faults() > before) return;
  std::vector<CoupledJoint> coupled;
  for (std::size_t k = 0; k < joints.size(); ++k) coupled.push_back({joints[k], ratios[k]});
  guard(table, "", "see docs/formats/scene.md", [&] { world.addCoupling(coupled, options); });
}

}  // namespace

void readCouplings(TableReader& root, WorldModel& world) {
  for (TableReader& table : root.tables("coupling")) readCoupling(table, world);
}

void readJoints(TableReader& root, WorldModel& world) {
  for (TableReader& table : root.tables("joint")) readJoint(table, world);
}

}  // namespace cornet
