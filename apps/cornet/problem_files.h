#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Which files a command line means, and where results go.
namespace cornet::app {

/// Files as given; folders stand for the problems in them and below, in alphabetical order. Throws
/// FileError for a folder that cannot be read or holds no problem.
std::vector<std::filesystem::path> expandFolders(const std::vector<std::string>& arguments);

/// Makes the folder if it is not there; throws FileError when nothing can be written into it.
void makeWritableFolder(const std::filesystem::path& folder);

/// Writes a whole file; throws FileError when that fails.
void writeTextFile(const std::filesystem::path& file, const std::string& text);

}  // namespace cornet::app
