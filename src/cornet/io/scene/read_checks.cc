#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cornet/io/scene/scene_parts.h"
#include "cornet/io/toml/suggestion.h"

namespace cornet {
namespace {

// Components of vectors: x, y, z, their length, or any direction.
Vector3d readComponent(TableReader& table) {
  if (table.has("along")) {
    const Vector3d along = table.vector3("along");
    if (table.has("component")) table.refuse("along", "component and along are both given", "keep one of them");
    if (along.isZero(0.0)) {
      table.refuse("along", "along = [0, 0, 0] has no direction", "along x: along = [1.0, 0.0, 0.0]");
    }
    return along.stableNormalized();
  }
  const std::vector<std::string> words = {"x", "y", "z", "norm"};
  const std::string word = table.word("component", words, "norm");
  const auto k = std::ranges::find(words, word) - words.begin();
  return k < 3 ? Vector3d(Vector3d::Unit(k)) : Vector3d(Vector3d::Zero());
}

void refuseName(TableReader& table, const char* kind, const std::string& name, const std::vector<std::string>& known, const char* expected) {
  const std::string near = suggest(name, known);
  table.refuse(kind, fmt::format("there is no {} \"{}\"", kind, name), near.empty() ? expected : fmt::format("did you mean \"{}\"?", near));
}

// One of the scene, or one of a robot.
void readProbedJoint(TableReader& table, const WorldModel& world, Probe& probe) {
  const int before = table.faults();
  const std::string name = table.string("joint");
  if (table.faults() > before) return;
  probe.joint = world.findJoint(name);
  if (probe.joint >= 0) return;
  probe.part = world.findTreeJoint(name);
  if (!probe.part.exists()) {
    std::vector<std::string> known;
    for (const WorldJoint& other : world.joints()) known.push_back(other.name);
    for (int k = 0; k < world.treeCount(); ++k) {
      for (const TreeJoint& other : world.tree(k).tree->joints()) known.push_back(other.name);
    }
    return refuseName(table, "joint", name, known, "expected the name of a [[joint]] or [[constraint]], or of a joint of a robot");
  }
  const TreeJoint& joint = world.tree(probe.part.tree).tree->joints()[static_cast<std::size_t>(probe.part.index)];
  if (joint.velocities != 1) {
    table.refuse("joint", fmt::format("joint \"{}\" has {} degrees of freedom", name, joint.velocities), "expected a hinge or slide; probe its bodies instead");
  }
  if (probe.quantity == Quantity::joint_force || probe.quantity == Quantity::joint_torque || probe.quantity == Quantity::joint_error) {
    table.refuse("what", fmt::format("{} is not known of joints of robots", infoOf(probe.quantity).name),
                 "joint_position, joint_rate, motor_effort and motor_power are");
  }
}

void readProbedActuator(TableReader& table, const WorldModel& world, Probe& probe) {
  const int before = table.faults();
  const std::string name = table.string("actuator");
  if (table.faults() > before) return;
  probe.part = world.findActuator(name);
  if (!probe.part.exists()) {
    std::vector<std::string> known;
    for (int k = 0; k < world.treeCount(); ++k) {
      for (const TreeActuator& other : world.tree(k).tree->actuators()) known.push_back(other.name);
    }
    return refuseName(table, "actuator", name, known, "expected the name of an actuator of a robot");
  }
  const TreeActuator& actuator = world.tree(probe.part.tree).tree->actuators()[static_cast<std::size_t>(probe.part.index)];
  if (probe.quantity == Quantity::activation && actuator.activation < 0) {
    table.refuse("actuator", fmt::format("actuator \"{}\" has no activation", name), "it follows its control at once: probe actuator_control");
  }
}

Probe readProbe(TableReader& table, const std::string& name, const WorldModel& world) {
  Probe probe;
  probe.name = name;
  std::vector<std::string> words;
  for (const QuantityInfo& info : allQuantities()) words.emplace_back(info.name);
  const std::string what = table.word("what", words);
  const auto found = std::ranges::find(allQuantities(), what, &QuantityInfo::name);
  if (found == allQuantities().end()) {
    table.ignoreRest();
    return probe;
  }
  probe.quantity = found->quantity;
  if (found->of == QuantityOf::joint) readProbedJoint(table, world, probe);
  if (found->of == QuantityOf::actuator) readProbedActuator(table, world, probe);
  if (found->of == QuantityOf::body) {
    probe.body = readBodyName(table, "body", world);
    if (table.has("other")) probe.other = readBodyName(table, "other", world);
    if (table.has("point")) probe.point = table.vector3("point");
  }
  if (found->is_vector) probe.along = readComponent(table);
  if (!found->is_of_step) probe.since = table.number("since", Limits::atLeast(0.0), 0.0);
  if (probe.quantity == Quantity::angular_momentum && probe.body >= world.bodyCount()) {
    table.refuse("body", "surroundings have no angular momentum", "expected a body that moves");
    probe.body = -1;
  }
  return probe;
}

// The probe that a check names, or one of its own.
int readCheckedProbe(TableReader& table, const std::string& name, Scene& scene) {
  if (!table.has("probe")) {
    scene.probes.push_back(readProbe(table, name, scene.world));
    return static_cast<int>(scene.probes.size()) - 1;
  }
  const int before = table.faults();
  const std::string wanted = table.string("probe");
  if (table.faults() > before) return -1;
  const auto found = std::ranges::find(scene.probes, wanted, &Probe::name);
  if (found != scene.probes.end()) return static_cast<int>(found - scene.probes.begin());
  std::vector<std::string> known;
  for (const Probe& probe : scene.probes) known.push_back(probe.name);
  const std::string near = suggest(wanted, known);
  table.refuse("probe", fmt::format("there is no probe \"{}\"", wanted),
               near.empty() ? "expected the name of a [[probe]]" : fmt::format("did you mean \"{}\"?", near));
  return -1;
}

Expression readExpected(TableReader& table, const Variables& parameters) {
  if (!table.hasString("expected")) return {table.number("expected")};
  const std::string text = table.string("expected");
  try {
    const Expression formula(std::string_view(text).substr(text.starts_with('=') ? 1 : 0));
    Variables variables = parameters;
    variables["t"] = 1.0;
    formula.evaluate(variables);  // all names are known
    return formula;
  } catch (const ExpressionError& error) {
    table.refuse("expected", fmt::format("expected = \"{}\": {}", text, error.what()), error.help());
    return {};
  }
}

void readClaim(TableReader& table, const Variables& parameters, Check& check) {
  const bool has_value = table.has("expected");
  if (table.has("at_most")) check.at_most = table.number("at_most");
  if (table.has("at_least")) check.at_least = table.number("at_least");
  if (!has_value && !check.at_most && !check.at_least) {
    return table.refuse("", fmt::format("{} claims nothing", table.name()),
                        "add expected with a tolerance, at_most or at_least");
  }
  if (!has_value) return;
  check.expected = readExpected(table, parameters);
  check.tolerance = table.number("tolerance", Limits::atLeast(0.0), 0.0);
  check.relative_tolerance = table.number("relative_tolerance", Limits::atLeast(0.0), 0.0);
  check.order = table.integer("order", Limits::between(0.0, 8.0), 0);
  if (check.at_most || check.at_least) {
    table.refuse("expected", "a value and a bound are both given", "keep one of them");
  }
}

}  // namespace

void readProbes(TableReader& root, Scene& scene) {
  for (TableReader& table : root.tables("probe")) {
    const std::string name = table.string("name");
    if (std::ranges::find(scene.probes, name, &Probe::name) != scene.probes.end()) {
      table.refuse("name", fmt::format("probe \"{}\" exists twice", name), "names are unique");
    }
    scene.probes.push_back(readProbe(table, name, scene.world));
  }
}

void readChecks(TableReader& root, Scene& scene) {
  const std::vector<std::string> statistics = {"final", "max", "min", "mean", "every", "mean_square"};
  for (TableReader& table : root.tables("check")) {
    Check check;
    check.name = table.string("name");
    const std::string word = table.word("of", statistics, "final");
    check.statistic = static_cast<Statistic>(std::ranges::find(statistics, word) - statistics.begin());
    check.from = table.number("from", Limits::atLeast(0.0), 0.0);
    check.until = table.number("until", Limits::atLeast(check.from), check.until);
    check.probe = readCheckedProbe(table, check.name, scene);
    readClaim(table, scene.variables(), check);
    scene.checks.push_back(std::move(check));
  }
}

}  // namespace cornet
