#include "cornet/io/format_error.h"

#include <fmt/format.h>

namespace cornet {

FormatError::FormatError(const std::filesystem::path& file, const std::string& object,
                         const std::string& found, const std::string& expected)
    : std::runtime_error(fmt::format("{}: {}: found {}; expected {}", file.string(), object, found,
                                     expected)) {}

FileError::FileError(const std::filesystem::path& file, const std::string& problem)
    : std::runtime_error(fmt::format("{}: {}", file.string(), problem)) {}

}  // namespace cornet
