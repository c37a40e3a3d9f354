#include "scene/scene_overview.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace cornet::app {
namespace {

// Shallower overlaps are rounding.
constexpr double kRounding = 1e-12;

std::vector<Overlap> findOverlaps(const WorldModel& world) {
  std::vector<Pose> poses;
  for (int i = 0; i < world.totalCount(); ++i) {
    const InertialState state = i < world.bodyCount()
                                    ? world.body(i).initial()
                                    : world.environment(i - world.bodyCount()).calcState(0.0);
    poses.emplace_back(state.orientation, state.position);
  }
  Detector detector = world.makeDetector();
  ContactSet contacts;
  detector.detect(poses, std::vector<double>(poses.size(), 0.0), contacts);
  std::map<std::pair<int, int>, double> deepest;
  for (int k = 0; k < contacts.size(); ++k) {
    double& depth = deepest[{contacts.body_a[k], contacts.body_b[k]}];
    depth = std::max(depth, -contacts.gap[k]);
  }
  std::vector<Overlap> overlaps;
  for (const auto& [pair, depth] : deepest) {
    if (depth > kRounding) overlaps.push_back({world.nameOf(pair.first), world.nameOf(pair.second), depth});
  }
  std::ranges::stable_sort(overlaps, std::ranges::greater{}, &Overlap::depth);
  return overlaps;
}

}  // namespace

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
  overview.overlaps = findOverlaps(world);
  return overview;
}

std::string overviewText(const SceneOverview& overview) {
  std::string text = fmt::format(
      "{}: good\n  {} bodies of {:g} kg together, {} environments, {} constraints, {} forces\n"
      "  {:g} s in steps of {:g} s, {} probes, {} checks",
      overview.file, overview.bodies, overview.mass, overview.environments, overview.constraints,
      overview.forces, overview.duration, overview.dt, overview.probes, overview.checks);
  constexpr std::size_t kMost = 10;
  for (std::size_t k = 0; k < std::min(kMost, overview.overlaps.size()); ++k) {
    const Overlap& overlap = overview.overlaps[k];
    text += fmt::format("\n  note: {} and {} overlap by {:.3g} m at the start", overlap.a, overlap.b, overlap.depth);
  }
  if (overview.overlaps.size() > kMost) {
    text += fmt::format("\n  note: {} more pairs overlap", overview.overlaps.size() - kMost);
  }
  return text;
}

}  // namespace cornet::app
