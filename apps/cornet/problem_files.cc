#include "problem_files.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "cornet/io/format_error.h"

namespace cornet::app {
namespace {

namespace fs = std::filesystem;

// By its name; solutions written beside their problems are not problems.
bool isProblemFile(const fs::path& file) {
  const std::string name = file.filename().string();
  return !name.ends_with(".solution.hdf5") && (name.ends_with(".hdf5") || name.ends_with(".h5"));
}

std::vector<fs::path> listProblems(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, skip, error), end; it != end && !error;
       it.increment(error)) {
    if (isProblemFile(it->path()) && it->is_regular_file(error)) found.push_back(it->path());
  }
  if (error) throw FileError(folder, "the folder cannot be read: " + error.message());
  if (found.empty()) throw FileError(folder, "the folder holds no .hdf5 or .h5 file");
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<fs::path> expandFolders(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    if (!fs::is_directory(argument, ignored)) {
      files.emplace_back(argument);
      continue;
    }
    const std::vector<fs::path> found = listProblems(argument);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

void makeWritableFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(folder, "the folder cannot be made: " + error.message());
  if (::access(folder.c_str(), W_OK) != 0) throw FileError(folder, "no permission to write there");
}

void writeTextFile(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw FileError(file, "cannot be written");
}

}  // namespace cornet::app
