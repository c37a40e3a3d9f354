#include "scene/scene_overview.h"

#include <algorithm>

#include <fmt/format.h>

namespace cornet::app {
SceneOverview describe(const std::string& file, const Scene& scene) {
  const WorldModel& world = scene.world;
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
  overview.start = makeStart(scene);
  overview.notes = scene.notes;
  return overview;
}

std::vector<std::string> startNotes(const SceneStart& start) {
  constexpr std::size_t kMost = 10;
  const std::vector<StartFault>& faults = start.faults;
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < std::min(kMost, faults.size()); ++k) notes.push_back(toString(faults[k]));
  if (faults.size() > kMost) notes.push_back(fmt::format("{} more faults at the start", faults.size() - kMost));
  if (start.repair) {
    notes.push_back(fmt::format("the start was repaired: nothing moved by more than {:.3g} m ({})",
                                start.repair->largest_way, start.repair->body));
  }
  return notes;
}

std::string overviewText(const SceneOverview& overview) {
  std::string text = fmt::format(
      "{}: good\n  {} bodies of {:g} kg together, {} environments, {} constraints, {} forces\n"
      "  {:g} s in steps of {:g} s, {} probes, {} checks",
      overview.file, overview.bodies, overview.mass, overview.environments, overview.constraints,
      overview.forces, overview.duration, overview.dt, overview.probes, overview.checks);
  for (const std::string& note : startNotes(overview.start)) text += "\n  note: " + note;
  for (const std::string& note : overview.notes) text += "\n  note: " + note;
  return text;
}

}  // namespace cornet::app
