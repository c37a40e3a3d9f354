#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cornet/io/scene/check.h"
#include "cornet/io/scene/probe.h"
#include "cornet/io/toml/findings.h"
#include "cornet/sim/options.h"
#include "cornet/sim/start.h"
#include "cornet/world/world_model.h"

/// A scene file (docs/formats/scene.md): a world, how long and how to step it, what to watch and what must
/// come out.
namespace cornet {

struct SceneParameter {
  std::string name;
  double value = 0.0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit;
  std::string description;
};

/// What becomes of a scene that cannot begin as it stands: bodies that overlap, joints that are open, limits that are passed.
enum class StartRule : std::uint8_t { report, refuse, repair };

struct Scene {
  std::string title;
  std::string description;
  double duration = 1.0;  // [s]
  double dt = 1e-3;       // [s]
  double own_dt = 1e-3;   // [s] that of its file, whatever was asked for beside it: tolerances of checks belong to it
  int seed = 1;           // of what is placed at random
  bool is_long = false;   // not for a quick test run
  StartRule start = StartRule::report;
  std::vector<SceneParameter> parameters;
  std::vector<SourceText> sources;  // what it was read from: included files before those that include them
  WorldModel world;
  SimulatorOptions options;
  std::vector<Probe> probes;
  std::vector<Check> checks;
  std::vector<std::string> notes;   // what of its robots is not used

  /// Values of the parameters, for formulas.
  Variables variables() const;
};

/// How a scene begins, and what was wrong with it.
struct SceneStart {
  State state;
  std::vector<StartFault> faults;    // as the scene was written
  std::optional<StartRepair> repair; // where it was asked for and there were any
};
/// Throws std::invalid_argument when there are faults and the scene refuses them, or when a repair leaves some.
SceneStart makeStart(const Scene& scene);

/// A value given beside the file: of a parameter, of a key ("duration", "simulator.tolerance"), or of a key
/// of a named entry ("body.cube.mass").
struct SceneOverride {
  std::string key;
  std::string value;  // as in TOML; text that is no TOML is a string
};

/// Throws FileError when the file cannot be read, FindingsError with everything that is wrong in it and in
/// the files it includes.
Scene readScene(const std::filesystem::path& file, const std::vector<SceneOverride>& overrides = {});
/// The same for text; other files are looked for beside its name.
Scene readScene(SourceText source, const std::vector<SceneOverride>& overrides = {});

}  // namespace cornet
