#pragma once

#include <filesystem>

namespace cornet::app {

/// The folder of the problems and scenes that come with the program: beside an installed program,
/// or in the source tree it was built from. Throws FileError when neither is there.
std::filesystem::path findScenes();

}  // namespace cornet::app
