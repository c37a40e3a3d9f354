#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/robot/add_robots.h"
#include "cornet/io/robot/control_file.h"
#include "cornet/io/scene/scene_parts.h"
#include "cornet/io/toml/read_geometry.h"

namespace cornet {
namespace {

void readJoints(TableReader& robot, const MujocoModel& model, RobotOptions& options) {
  for (TableReader& table : robot.tables("joint")) {
    const std::string name = table.string("name");
    const auto joint = std::ranges::find(model.joints, name, &ModelJoint::name);
    if (joint == model.joints.end()) {
      table.refuse("name", "the model has no joint '" + name + "'", "cornet info lists its joints");
      table.ignoreRest();
      continue;
    }
    std::vector<double> position;
    if (joint->size == 7) position = table.numbers("position", 3);
    if (joint->size >= 4) {
      const std::vector<double> turn = table.numbers("quat_wxyz", 4, Limits{});
      position.insert(position.end(), turn.begin(), turn.end());
    }
    if (joint->size == 1) position = {joint->turns ? table.angle("position") : table.number("position")};
    options.joints.emplace_back(name, std::move(position));
  }
}

void readControls(TableReader& robot, RobotOptions& options) {
  for (TableReader& table : robot.tables("control")) {
    const std::string actuator = table.string("name");
    const bool has_activation = table.has("activation");
    if (has_activation) options.activations.emplace_back(actuator, table.number("activation"));
    if (!has_activation || table.has("value")) options.controls.emplace_back(actuator, table.number("value"));
  }
}

// Where servos are to hold joints.
void readTargets(TableReader& robot, const MujocoModel& model, RobotOptions& options) {
  for (TableReader& table : robot.tables("target")) {
    const std::string name = table.string("joint");
    const auto joint = std::ranges::find(model.joints, name, &ModelJoint::name);
    const bool turns = joint != model.joints.end() && joint->turns;
    options.targets.emplace_back(name, turns ? table.angle("position") : table.number("position"));
  }
}

// Where mocap bodies begin, and how they move.
void readMocaps(TableReader& robot, RobotOptions& options) {
  for (TableReader& table : robot.tables("mocap")) {
    MocapOptions mocap{table.string("body")};
    const std::initializer_list<const char*> poses = {"position", "quat_wxyz", "rpy_deg", "rpy_rad", "axis", "rotation_matrix"};
    if (std::ranges::any_of(poses, [&](const char* key) { return table.has(key); })) mocap.X_MB = readPose(table);
    if (table.has("motion")) mocap.motion = readMotion(table);
    options.mocaps.push_back(std::move(mocap));
  }
}

// Columns of a schedule: what the key has for each of these names, in this unit.
template <class Items>
void readColumns(TableReader& table, std::string_view key, const Items& items, double unit, const ControlSchedule& times,
                 std::vector<std::pair<std::string, ControlSchedule>>& schedules) {
  std::optional<TableReader> columns = table.optionalTable(key);
  if (!columns) return;
  for (const auto& item : items) {
    if (!columns->has(item.name)) continue;
    ControlSchedule schedule = times;
    schedule.values = columns->numberList(item.name, 1);
    if (schedule.values.size() != times.times.size() && !schedule.values.empty() && !times.times.empty()) {
      columns->refuse(item.name, fmt::format("there are {} values for {} times", schedule.values.size(), times.times.size()),
                      "expected one for each time");
    }
    for (double& value : schedule.values) value *= unit;
    schedules.emplace_back(item.name, std::move(schedule));
  }
}

void readScheduleFile(TableReader& table, const SceneContext& context, bool is_held, RobotOptions& options) {
  const std::string file = table.string("file");
  if (table.has("times")) table.refuse("times", "times and a file are both given", "keep one of them");
  try {
    const ControlTable controls = readControlTable(context.folder / file);
    for (std::size_t k = 0; k < controls.names.size(); ++k) {
      options.schedules.emplace_back(controls.names[k], ControlSchedule{controls.times, controls.columns[k], is_held});
    }
  } catch (const FileError& error) {
    table.refuse("file", error.what(), "names are relative to the scene file");
  } catch (const FormatError& error) {
    table.refuse("file", error.what(), "see docs/formats/scene.md");
  }
}

// Controls over time.
void readSchedule(TableReader& robot, const SceneContext& context, const MujocoModel& model, RobotOptions& options) {
  std::optional<TableReader> table = robot.optionalTable("schedule");
  if (!table) return;
  ControlSchedule times;
  times.is_held = table->word("between", {"linear", "held"}, "linear") == "held";
  if (table->has("file")) return readScheduleFile(*table, context, times.is_held, options);
  times.times = table->numberList("times", 1);
  std::vector<ModelJoint> hinges, slides;
  for (const ModelJoint& joint : model.joints) {
    if (joint.size == 1) (joint.turns ? hinges : slides).push_back(joint);
  }
  constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;
  readColumns(*table, "controls", model.actuators, 1.0, times, options.schedules);
  readColumns(*table, "targets", slides, 1.0, times, options.target_schedules);
  readColumns(*table, "targets_rad", hinges, 1.0, times, options.target_schedules);
  readColumns(*table, "targets_deg", hinges, kRadiansPerDegree, times, options.target_schedules);
  if (options.schedules.empty() && options.target_schedules.empty()) {
    table->refuse("", "the schedule names no actuator and no joint", "write controls = { name = [...] }, with a number for each time");
  }
}

}  // namespace

void readRobots(TableReader& root, const SceneContext& context, RobotAdder& adder) {
  for (TableReader& table : root.tables("robot")) {
    const int before = table.faults();
    RobotOptions options;
    options.name = table.string("name", "");
    options.X_WM = readPose(table);
    options.keyframe = table.string("keyframe", "");
    const std::string file = table.string("file");
    ModelOptions reading;
    if (table.has("packages")) {
      for (const std::string& folder : table.strings("packages")) reading.packages.push_back(context.folder / folder);
    }
    if (table.faults() > before) {
      table.ignoreRest();
      continue;
    }
    std::shared_ptr<const MujocoModel> model;
    try {
      model = readModel(context.folder / file, reading);
    } catch (const FileError& error) {
      table.refuse("file", error.what(), "names are relative to the scene file");
      table.ignoreRest();
      continue;
    }
    readJoints(table, *model, options);
    readControls(table, options);
    readTargets(table, *model, options);
    readMocaps(table, options);
    readSchedule(table, context, *model, options);
    if (table.faults() > before) continue;
    guard(table, "", "cornet info lists what is in the model", [&] { adder.plan(model, options); });
  }
}

}  // namespace cornet
