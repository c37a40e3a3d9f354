#include <algorithm>

#include "cornet/io/format_error.h"
#include "cornet/io/robot/add_robots.h"
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

}  // namespace

void readRobots(TableReader& root, const SceneContext& context, RobotAdder& adder) {
  for (TableReader& table : root.tables("robot")) {
    const int before = table.faults();
    RobotOptions options;
    options.name = table.string("name", "");
    options.X_WM = readPose(table);
    options.keyframe = table.string("keyframe", "");
    const std::string file = table.string("file");
    if (table.faults() > before) {
      table.ignoreRest();
      continue;
    }
    std::shared_ptr<const MujocoModel> model;
    try {
      model = readModel(context.folder / file);
    } catch (const FileError& error) {
      table.refuse("file", error.what(), "names are relative to the scene file");
      table.ignoreRest();
      continue;
    }
    readJoints(table, *model, options);
    for (TableReader& control : table.tables("control")) {
      const std::string actuator = control.string("name");
      options.controls.emplace_back(actuator, control.number("value"));
    }
    if (table.faults() > before) continue;
    guard(table, "", "cornet info lists what is in the model", [&] { adder.plan(model, options); });
  }
}

}  // namespace cornet
