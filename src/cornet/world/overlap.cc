#include "cornet/world/overlap.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace cornet {
namespace {

// Shallower overlaps are rounding.
constexpr double kRounding = 1e-12;

}  // namespace

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

std::string toString(const Overlap& overlap) {
  return fmt::format("{} and {} overlap by {:.3g} m at the start", overlap.a, overlap.b, overlap.depth);
}

}  // namespace cornet
