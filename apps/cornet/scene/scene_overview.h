#pragma once

#include <string>
#include <vector>

#include "cornet/io/scene/scene.h"

/// What `cornet check` says about a scene that is right.
namespace cornet::app {

struct SceneOverview {
  std::string file;
  std::string title;
  int bodies = 0, environments = 0, constraints = 0, forces = 0, probes = 0, checks = 0;
  double mass = 0.0;  // [kg]
  double duration = 0.0, dt = 0.0;
  SceneStart start;
  std::vector<std::string> notes;  // what of its robots is not used
};

/// Throws std::invalid_argument when a pair of shapes has no routine, or the scene does not take its start.
SceneOverview describe(const std::string& file, const Scene& scene);

/// One sentence for each of the worst faults of the start, the number of others, and what was mended.
std::vector<std::string> startNotes(const SceneStart& start);

std::string overviewText(const SceneOverview& overview);

}  // namespace cornet::app
