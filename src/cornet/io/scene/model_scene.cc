#include "cornet/io/scene/model_scene.h"

#include <fmt/format.h>

#include "cornet/io/robot/add_robots.h"

namespace cornet {
namespace {

// As a TOML string, whatever is in it.
std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

SourceText makeModelScene(const std::filesystem::path& file, std::vector<SceneOverride>& overrides) {
  ModelOptions reading;
  std::string packages;
  std::erase_if(overrides, [&](const SceneOverride& item) {
    if (item.key != "package_path") return false;
    reading.packages.emplace_back(item.value);
    packages += (packages.empty() ? "" : ", ") + quote(std::filesystem::absolute(item.value).string());
    return true;
  });
  const std::shared_ptr<const MujocoModel> model = readModel(file, reading);
  const Vector3d& g = model->gravity;
  const std::string path = std::filesystem::absolute(file).lexically_normal().string();
  std::string text = fmt::format("version = 1\ntitle = {}\nduration = 5.0\ndt = {}\ngravity = [{}, {}, {}]\n\n[[robot]]\nfile = {}\n",
                                 quote(file.filename().string()), model->dt, g.x(), g.y(), g.z(), quote(path));
  if (!packages.empty()) text += fmt::format("packages = [{}]\n", packages);
  std::string controls;
  constexpr std::string_view kControl = "control.";
  std::erase_if(overrides, [&](const SceneOverride& item) {
    if (item.key == "keyframe") text += fmt::format("keyframe = {}\n", quote(item.value));
    const bool is_control = item.key.starts_with(kControl);
    if (is_control) controls += fmt::format("\n[[robot.control]]\nname = {}\nvalue = {}\n", quote(item.key.substr(kControl.size())), item.value);
    return is_control || item.key == "keyframe";
  });
  return {file.string() + " as a scene", text + controls};
}

}  // namespace cornet
