#pragma once

#include "cornet/io/scene/scene.h"

namespace cornet {

/// A scene of one robot model, with its time step and gravity. Takes "keyframe", "package_path" and "control.NAME" out of the overrides: where the robot
/// begins, and controls of its actuators. Throws FindingsError with the place of what is wrong with the model, and FileError.
SourceText makeModelScene(const std::filesystem::path& file, std::vector<SceneOverride>& overrides);

}  // namespace cornet
