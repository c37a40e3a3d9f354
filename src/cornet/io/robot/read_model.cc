#include <algorithm>

#include "cornet/body/mujoco/model_error.h"
#include "cornet/io/format_error.h"
#include "cornet/io/robot/add_robots.h"
#include "cornet/io/toml/findings.h"

namespace cornet {

bool isModelFile(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".xml" || ending == ".mjcf" || ending == ".urdf";
}

std::shared_ptr<const MujocoModel> readModel(const std::filesystem::path& file, const ModelOptions& options) {
  const SourceText text = SourceText::read(file);
  try {
    return std::make_shared<MujocoModel>(file, options);
  } catch (const ModelError& error) {
    const Finding finding{{error.line(), 1}, error.fault(), error.help()};
    const SourceText source = error.file() == text.name() ? text : SourceText::read(error.file());
    throw FindingsError(source, {finding});
  }
}

}  // namespace cornet
