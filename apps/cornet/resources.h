#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace cornet::app {

/// The folder of the problems and scenes that come with the program: beside an installed program,
/// or in the source tree it was built from. Throws FileError when neither is there.
std::filesystem::path findScenes();

/// Scene files in it by name, templates and parts left out.
std::map<std::string, std::filesystem::path> shippedScenes();

}  // namespace cornet::app
