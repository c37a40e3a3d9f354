#include "cornet/body/mujoco/package_files.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cornet {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 3;

void addFolders(const char* variable, const char* below, std::vector<fs::path>& folders) {
  const char* list = std::getenv(variable);
  const std::string text = list == nullptr ? "" : list;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) folders.push_back(fs::path(text.substr(begin, end - begin)) / below);
    begin = end + 1;
  }
}

bool isFolder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

// The folder itself, one in it, or one further below; the first in the order of names.
std::optional<fs::path> findFolder(const fs::path& folder, const std::string& name, int depth) {
  if (isFolder(folder / name)) return folder / name;
  if (depth == 0) return {};
  std::vector<fs::path> below;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (!entry.path().filename().string().starts_with('.') && entry.is_directory(none)) below.push_back(entry.path());
  }
  std::ranges::sort(below);
  for (const fs::path& next : below) {
    if (std::optional<fs::path> found = findFolder(next, name, depth - 1)) return found;
  }
  return {};
}

// What comes behind "package://", without the name of the package.
std::pair<std::string, std::string> split(const std::string& name) {
  const std::size_t begin = name.find("://") + 3, end = std::min(name.find('/', begin), name.size());
  return {name.substr(begin, end - begin), end < name.size() ? name.substr(end + 1) : ""};
}

}  // namespace

PackageFiles::PackageFiles(const fs::path& model, std::vector<fs::path> folders) : folders_(std::move(folders)) {
  addFolders("ROS_PACKAGE_PATH", "", folders_);
  addFolders("AMENT_PREFIX_PATH", "share", folders_);
  for (fs::path above = fs::absolute(model).lexically_normal().parent_path(); above != above.root_path(); above = above.parent_path()) {
    above_.push_back(above);
  }
}

bool PackageFiles::isUri(std::string_view name) {
  return name.starts_with("package://") || name.starts_with("model://") || name.starts_with("file://");
}

std::string PackageFiles::packageOf(const std::string& name) { return split(name).first; }

std::optional<fs::path> PackageFiles::find(const std::string& name) const {
  if (name.starts_with("file://")) return fs::path(name.substr(7));
  const auto& [package, rest] = split(name);
  for (const fs::path& folder : folders_) {
    if (fs::path(folder / "").parent_path().filename() == package && isFolder(folder)) return folder / rest;
    if (const std::optional<fs::path> found = findFolder(folder, package, kDepth)) return *found / rest;
  }
  for (const fs::path& above : above_) {
    if (above.filename() == package) return above / rest;
    if (isFolder(above / package)) return above / package / rest;
  }
  return {};
}

std::string PackageFiles::listFolders() const {
  std::vector<std::string> names;
  for (const fs::path& folder : folders_) names.push_back(folder.string());
  names.emplace_back("the folders of the model");
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace cornet
