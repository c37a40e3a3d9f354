#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "cornet/io/scene/scene.h"

namespace cornet::app {

/// What the command line says in place of a scene's own values.
struct SceneSettings {
  std::vector<std::string> settings = {};  // key=value
  std::string keyframe = {};               // of a robot model
  std::vector<std::string> package_paths = {};
  std::vector<std::string> controls = {};  // of its actuators: name=value
  std::string duration = {}, dt = {}, seed = {}, start = {};
  SimulatorOptions options = {};
  Verb verb;  // that has the flags
};

/// --package-path, of robot models.
void addPackagePath(Verb verb, std::vector<std::string>& folders);

/// Flags for them; the verb must outlive the settings.
void addSceneSettings(Verb verb, SceneSettings& settings);

/// Throws UsageError for a setting that is none, else as readScene(). Values of `more`
/// win.
Scene readSceneWith(const std::string& file, SceneSettings settings,
                    const std::vector<SceneOverride>& more = {});

}  // namespace cornet::app
