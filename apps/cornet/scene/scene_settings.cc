#include "scene/scene_settings.h"

#include <fmt/format.h>

#include "option_flags.h"

namespace cornet::app {
namespace {

std::vector<SceneOverride> collectOverrides(const SceneSettings& settings) {
  std::vector<SceneOverride> overrides;
  for (const std::string& setting : settings.settings) {
    const auto at = setting.find('=');
    if (at == setting.npos || at == 0) {
      throw UsageError("--set", fmt::format("{}: expected key=value", setting));
    }
    overrides.push_back({setting.substr(0, at), setting.substr(at + 1)});
  }
  if (!settings.duration.empty()) overrides.push_back({"duration", settings.duration});
  if (!settings.dt.empty()) overrides.push_back({"dt", settings.dt});
  if (!settings.seed.empty()) overrides.push_back({"seed", settings.seed});
  if (!settings.keyframe.empty()) overrides.push_back({"keyframe", settings.keyframe});
  for (const std::string& folder : settings.package_paths) overrides.push_back({"package_path", folder});
  for (const std::string& control : settings.controls) {
    const auto at = control.find('=');
    if (at == control.npos || at == 0) throw UsageError("--ctrl", fmt::format("{}: expected actuator=value", control));
    overrides.push_back({"control." + control.substr(0, at), control.substr(at + 1)});
  }
  if (!settings.start.empty()) overrides.push_back({"start", settings.start});
  return overrides;
}

}  // namespace

void addPackagePath(Verb verb, std::vector<std::string>& folders) {
  verb.addOption("--package-path", folders, "folder with packages that a URDF model names, as often as wanted, before those of ROS_PACKAGE_PATH")
      .typeName("DIR")
      .oneValueEach();
}

void addSceneSettings(Verb verb, SceneSettings& settings) {
  settings.verb = verb;
  verb.addOption("--duration", settings.duration, "seconds to simulate, instead of the scene's");
  verb.addOption("--dt", settings.dt, "time step [s], instead of the scene's");
  verb.addOption("--seed", settings.seed, "of what is placed at random, instead of the scene's");
  verb.addOption("--start,--overlap", settings.start,
                 "what to do when bodies overlap, joints are open or limits passed at the start, instead of the scene's")
      .oneOf({"report", "refuse", "repair"});
  verb.addOption("--keyframe", settings.keyframe, "where a robot model begins").typeName("NAME");
  addPackagePath(verb, settings.package_paths);
  verb.addOption("--ctrl", settings.controls, "control of an actuator of a robot model, as often as wanted: --ctrl lift=0.1")
      .typeName("NAME=VALUE")
      .oneValueEach();
  verb.addOption(
          "--set", settings.settings,
          "value of a parameter or key, as often as wanted: --set mu=0.3 --set body.cube.mass=2")
      .typeName("KEY=VALUE")
      .oneValueEach();
  addOptionFlags(verb, settings.options);
}

Scene readSceneWith(const std::string& file, SceneSettings settings,
                    const std::vector<SceneOverride>& more) {
  std::vector<SceneOverride> overrides = collectOverrides(settings);
  overrides.insert(overrides.end(), more.begin(), more.end());
  Scene scene = readScene(file, overrides);
  copyGivenOptions(settings.verb, settings.options, scene.options);
  return scene;
}

}  // namespace cornet::app
