#include "resources.h"

#include "cornet/io/format_error.h"

namespace cornet::app {

std::filesystem::path findScenes() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/cornet/scenes";
  if (!error && fs::is_directory(installed, error)) return installed;
  const fs::path source = CORNET_SOURCE_SCENES;
  if (fs::is_directory(source, error)) return source;
  throw FileError(installed, "the scenes that come with the program are missing; install it again");
}

std::map<std::string, std::filesystem::path> shippedScenes() {
  std::map<std::string, std::filesystem::path> scenes;
  for (const char* folder : {"demos", "closed_forms", "comparison"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(findScenes() / folder, error)) {
      if (entry.path().extension() == ".toml") scenes.emplace(entry.path().stem().string(), entry.path());
    }
  }
  return scenes;
}

}  // namespace cornet::app
