#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Files of ROS packages: package://NAME/meshes/arm.stl, or model:// as Gazebo writes it. A package is a folder of this name, which is looked
/// for in the folders that the caller names, in those of ROS_PACKAGE_PATH, in share of those of AMENT_PREFIX_PATH, up to three folders
/// deep, and in the folders that the model itself is in.
namespace cornet {

class PackageFiles {
 public:
  PackageFiles(const std::filesystem::path& model, std::vector<std::filesystem::path> folders);

  /// Whether a name is that of a file in a package, or file://.
  static bool isUri(std::string_view name);
  /// The file of such a name; none where its package is not found.
  std::optional<std::filesystem::path> find(const std::string& name) const;
  /// "package 'arm'": what was not found.
  static std::string packageOf(const std::string& name);
  /// All folders that are looked in, for messages.
  std::string listFolders() const;

 private:
  std::vector<std::filesystem::path> folders_, above_;  // above_: those that the model is in
};

}  // namespace cornet
