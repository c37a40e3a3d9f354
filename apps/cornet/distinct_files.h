#pragma once

#include <string>
#include <vector>

namespace cornet::app {

/// A file of the command line: the option or argument that names it, and its name; empty: none.
struct NamedFile {
  std::string option, file;
};

/// What is written must be none of what is read, nor of what else is written. Throws
/// UsageError, which names both.
void requireDistinct(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written);

}  // namespace cornet::app
