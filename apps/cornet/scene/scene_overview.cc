#include "scene/scene_overview.h"

#include <algorithm>

#include <fmt/format.h>

namespace cornet::app {
SceneOverview describe(const std::string& file, const Scene& scene) {
  const WorldModel& world = scene.world;
  requireOverlapRule(scene);
  SceneOverview overview;
  overview.file = file;
  overview.title = scene.title;
  overview.bodies = world.bodyCount();
  overview.environments = world.environmentCount();
  overview.constraints = static_cast<int>(world.constraints().size());
  overview.forces = static_cast<int>(world.loads().size());
  overview.probes = static_cast<int>(scene.probes.size());
  overview.checks = static_cast<int>(scene.checks.size());
  for (int i = 0; i < world.bodyCount(); ++i) overview.mass += world.body(i).mass().mass;
  overview.duration = scene.duration;
  overview.dt = scene.dt;
  overview.overlaps = findOverlaps(world);
  return overview;
}

std::vector<std::string> overlapNotes(const std::vector<Overlap>& overlaps) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < std::min(kMost, overlaps.size()); ++k) notes.push_back(toString(overlaps[k]));
  if (overlaps.size() > kMost) notes.push_back(fmt::format("{} more pairs overlap", overlaps.size() - kMost));
  return notes;
}

std::string overviewText(const SceneOverview& overview) {
  std::string text = fmt::format(
      "{}: good\n  {} bodies of {:g} kg together, {} environments, {} constraints, {} forces\n"
      "  {:g} s in steps of {:g} s, {} probes, {} checks",
      overview.file, overview.bodies, overview.mass, overview.environments, overview.constraints,
      overview.forces, overview.duration, overview.dt, overview.probes, overview.checks);
  for (const std::string& note : overlapNotes(overview.overlaps)) text += "\n  note: " + note;
  return text;
}

}  // namespace cornet::app
