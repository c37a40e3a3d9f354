#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace cornet::app {

/// Runs a program and hands on each line of its standard output as it comes; its messages go to our
/// stderr. An interrupt ends it. Returns its exit code, 128 + number when a signal ended it. Throws
/// FileError when it cannot be started.
int runLines(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             const std::function<void(const std::string&)>& handle);

}  // namespace cornet::app
