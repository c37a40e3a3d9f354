#include "cornet/io/scene/scene.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/io/robot/add_robots.h"
#include "cornet/io/scene/model_scene.h"
#include "cornet/io/scene/scene_files.h"
#include "cornet/io/scene/scene_parts.h"

namespace cornet {
namespace {

// The step that the file itself asks for.
double readOwnStep(SourceText source, std::vector<SceneOverride> overrides) {
  std::erase_if(overrides, [](const SceneOverride& item) { return item.key == "dt"; });
  SceneFiles files(std::move(source), overrides);
  Scene scene;
  TableReader main = files.main().content.root();
  readSettings(main, scene);
  return scene.dt;
}

}  // namespace

Variables Scene::variables() const {
  Variables variables;
  for (const SceneParameter& parameter : parameters) variables.emplace(parameter.name, parameter.value);
  return variables;
}

SceneStart makeStart(const Scene& scene) {
  SceneStart start{scene.world.makeState(), findStartFaults(scene.world), {}};
  if (start.faults.empty() || scene.start == StartRule::report) return start;
  if (scene.start == StartRule::refuse) {
    throw std::invalid_argument(fmt::format("{} ({} faults in all, and start = \"refuse\")",
                                            toString(start.faults.front()), start.faults.size()));
  }
  start.repair = repairStart(scene.world);
  start.state = start.repair->state;
  if (start.repair->left.empty()) return start;
  throw std::invalid_argument(fmt::format("{} ({} faults in all that start = \"repair\" could not mend)",
                                          toString(start.repair->left.front()), start.repair->left.size()));
}

Scene readScene(const std::filesystem::path& file, const std::vector<SceneOverride>& overrides) {
  if (!isModelFile(file)) return readScene(SourceText::read(file), overrides);
  std::vector<SceneOverride> others = overrides;
  SourceText scene = makeModelScene(file, others);
  return readScene(std::move(scene), others);
}

Scene readScene(SourceText source, const std::vector<SceneOverride>& overrides) {
  const bool keeps_step = std::ranges::find(overrides, "dt", &SceneOverride::key) == overrides.end();
  Scene scene;
  if (!keeps_step) scene.own_dt = readOwnStep(source, overrides);
  SceneFiles files(std::move(source), overrides);
  scene.parameters = files.parameters();
  TableReader main = files.main().content.root();
  readSettings(main, scene);
  if (keeps_step) scene.own_dt = scene.dt;
  readSimulator(main, scene.options);
  // A part may name what any file defines before it in this order.
  const auto forEachFile = [&files](const auto& read) {
    for (SceneFile& file : files.all()) {
      TableReader root = file.content.root();
      read(root, file);
    }
  };
  WorldModel& world = scene.world;
  forEachFile([&](TableReader& root, SceneFile&) { readMaterials(root, world.materials); });
  forEachFile([&](TableReader& root, SceneFile&) { readMaterialPairs(root, world.materials); });
  forEachFile([&](TableReader& root, SceneFile& file) {
    const SceneContext context{scene, file.folder};
    readBodies(root, context);
    readRepetitions(root, context);
    readEnvironments(root, context);
  });
  RobotAdder robots(world);
  forEachFile([&](TableReader& root, SceneFile& file) { readRobots(root, {scene, file.folder}, robots); });
  try {
    robots.addAll();
  } catch (const std::invalid_argument&) {
    files.check();  // what was wrong before may be why
    throw;
  }
  scene.notes = robots.notes();
  forEachFile([&](TableReader& root, SceneFile&) {
    readForces(root, world);
    readConstraints(root, world);
    readJoints(root, world);
    readExclusions(root, world);
  });
  forEachFile([&](TableReader& root, SceneFile&) { readCouplings(root, world); });
  forEachFile([&](TableReader& root, SceneFile&) { readProbes(root, scene); });
  forEachFile([&](TableReader& root, SceneFile&) { readChecks(root, scene); });
  files.check();
  for (const SceneFile& file : files.all()) scene.sources.push_back(file.content.source());
  return scene;
}

}  // namespace cornet
