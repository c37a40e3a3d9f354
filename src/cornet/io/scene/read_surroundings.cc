#include <fmt/format.h>

#include "cornet/io/scene/scene_parts.h"
#include "cornet/io/toml/read_geometry.h"

namespace cornet {

Motion readMotion(TableReader& owner) {
  std::optional<TableReader> table = owner.optionalTable("motion");
  if (!table) return Rest{};
  const Vector3d zero = Vector3d::Zero();
  const std::string type = table->word("type", {"steady", "oscillation", "path"});
  if (type == "steady") {
    const Vector3d velocity = table->vector3("velocity", {}, zero);
    return SteadyMotion{velocity, table->vector3("omega", {}, zero)};
  }
  if (type == "oscillation") {
    const Vector3d amplitude = table->vector3("amplitude");
    const double frequency = table->number("frequency", Limits::positive());
    return Oscillation{amplitude, frequency, table->angle("phase", 0.0)};
  }
  if (type == "path") {
    Path path;
    path.times = table->numberList("times", 2);
    path.displacements = table->points("displacements", 2);
    if (path.times.size() == path.displacements.size() && !path.times.empty()) return path;
    if (!path.times.empty() && !path.displacements.empty()) {
      table->refuse("displacements", fmt::format("there are {} displacements for {} times",
                                                 path.displacements.size(), path.times.size()),
                    "expected one for each time");
    }
    return Rest{};
  }
  table->ignoreRest();
  return Rest{};
}

void readEnvironments(TableReader& root, const SceneContext& context) {
  WorldModel& world = context.scene.world;
  for (TableReader& table : root.tables("environment")) {
    const int before = table.faults();
    const std::string name = table.string("name");
    const Pose pose = readPose(table);
    std::vector<AssetShape> shapes = readShapes(table, context, 1);
    const Motion motion = readMotion(table);
    const Vector3d surface = table.vector3("surface_velocity", {}, Vector3d(Vector3d::Zero()));
    if (table.faults() > before) {
      // A stand-in, so that what names it finds one.
      if (world.find(name) < 0 && !name.empty()) world.addEnvironment({name, {}});
      continue;
    }
    guard(table, "", "see docs/formats/scene.md", [&] {
      AssetEnvironment environment(name, std::move(shapes), pose.p, Quaterniond(pose.R), motion);
      environment.setSurfaceVelocity(surface);
      world.addEnvironment(std::move(environment));
    });
  }
}

void readForces(TableReader& root, WorldModel& world) {
  const Vector3d zero = Vector3d::Zero();
  for (TableReader& table : root.tables("force")) {
    const int before = table.faults();
    Load load;
    load.body = readBodyName(table, "body", world);
    load.force = table.vector3("force", {}, zero);
    load.torque = table.vector3("torque", {}, zero);
    load.point = table.vector3("point", {}, zero);
    load.in_body_axes = table.boolean("in_body_axes", false);
    load.begin = table.number("begin", {}, 0.0);
    load.end = table.number("end", {}, load.end);
    load.frequency = table.number("frequency", Limits::atLeast(0.0), 0.0);
    load.phase = table.angle("phase", 0.0);
    if (table.faults() > before) continue;
    guard(table, "body", "forces act on bodies that move, with begin < end", [&] { world.addLoad(load); });
  }
}

void readExclusions(TableReader& root, WorldModel& world) {
  for (TableReader& table : root.tables("exclude")) {
    const int a = readBodyName(table, "a", world);
    const int b = readBodyName(table, "b", world);
    if (a >= 0 && b >= 0) world.excludeBodies(a, b);
  }
}

}  // namespace cornet
