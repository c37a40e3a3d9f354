#pragma once

#include <string>
#include <vector>

#include "cornet/io/scene/scene.h"

/// What `cornet check` says about a scene that is right.
namespace cornet::app {

struct Overlap {
  std::string a, b;
  double depth = 0.0;  // [m]
};

struct SceneOverview {
  std::string file;
  std::string title;
  int bodies = 0, environments = 0, constraints = 0, forces = 0, probes = 0, checks = 0;
  double mass = 0.0;  // [kg]
  double duration = 0.0, dt = 0.0;
  std::vector<Overlap> overlaps;  // at the start, deepest first
};

/// Throws std::invalid_argument when a pair of shapes has no routine.
SceneOverview describe(const std::string& file, const Scene& scene);

std::string overviewText(const SceneOverview& overview);

}  // namespace cornet::app
