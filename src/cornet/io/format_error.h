#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace cornet {

/// A file that was read but does not hold what it should: names the file, the object in it, what
/// was found and what was expected.
class FormatError : public std::runtime_error {
 public:
  FormatError(const std::filesystem::path& file, const std::string& object,
              const std::string& found, const std::string& expected);
};

/// A file that could not be opened, read or written at all.
class FileError : public std::runtime_error {
 public:
  FileError(const std::filesystem::path& file, const std::string& problem);
};

}  // namespace cornet
