#pragma once

#include <string>
#include <vector>

#include "cornet/io/scene/scene.h"
#include "cornet/world/overlap.h"

/// What `cornet check` says about a scene that is right.
namespace cornet::app {

struct SceneOverview {
  std::string file;
  std::string title;
  int bodies = 0, environments = 0, constraints = 0, forces = 0, probes = 0, checks = 0;
  double mass = 0.0;  // [kg]
  double duration = 0.0, dt = 0.0;
  std::vector<Overlap> overlaps;  // at the start, deepest first
};

/// Throws std::invalid_argument when a pair of shapes has no routine, or overlaps and the scene refuses that.
SceneOverview describe(const std::string& file, const Scene& scene);

/// One sentence for each of the deepest overlaps, and the number of others.
std::vector<std::string> overlapNotes(const std::vector<Overlap>& overlaps);

std::string overviewText(const SceneOverview& overview);

}  // namespace cornet::app
