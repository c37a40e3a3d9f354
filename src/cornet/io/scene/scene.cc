#include "cornet/io/scene/scene.h"

#include <stdexcept>

#include <fmt/format.h>

#include "cornet/io/scene/scene_files.h"
#include "cornet/io/scene/scene_parts.h"
#include "cornet/world/overlap.h"

namespace cornet {

Variables Scene::variables() const {
  Variables variables;
  for (const SceneParameter& parameter : parameters) variables.emplace(parameter.name, parameter.value);
  return variables;
}

void requireOverlapRule(const Scene& scene) {
  if (scene.overlap != OverlapRule::refuse) return;
  const std::vector<Overlap> overlaps = findOverlaps(scene.world);
  if (overlaps.empty()) return;
  throw std::invalid_argument(fmt::format("{} ({} pairs do, and overlap = \"refuse\")", toString(overlaps.front()),
                                          overlaps.size()));
}

Scene readScene(const std::filesystem::path& file, const std::vector<SceneOverride>& overrides) {
  return readScene(SourceText::read(file), overrides);
}

Scene readScene(SourceText source, const std::vector<SceneOverride>& overrides) {
  SceneFiles files(std::move(source), overrides);
  Scene scene;
  scene.parameters = files.parameters();
  TableReader main = files.main().content.root();
  readSettings(main, scene);
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
  forEachFile([&](TableReader& root, SceneFile&) {
    readForces(root, world);
    readConstraints(root, world);
    readExclusions(root, world);
  });
  forEachFile([&](TableReader& root, SceneFile&) { readProbes(root, scene); });
  forEachFile([&](TableReader& root, SceneFile&) { readChecks(root, scene); });
  files.check();
  for (const SceneFile& file : files.all()) scene.sources.push_back(file.content.source());
  return scene;
}

}  // namespace cornet
