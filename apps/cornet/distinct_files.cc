#include "distinct_files.h"

#include <filesystem>

#include <fmt/format.h>

#include "command_line.h"

namespace cornet::app {
namespace {

namespace fs = std::filesystem;

// Also under two names, and before they exist. Devices may be written twice.
bool areSame(const std::string& a, const std::string& b) {
  std::error_code error;
  if (a.empty() || b.empty()) return false;
  if (fs::exists(a, error) && fs::exists(b, error)) {
    return !fs::is_other(a, error) && fs::equivalent(a, b, error);
  }
  return fs::weakly_canonical(fs::absolute(a), error) ==
         fs::weakly_canonical(fs::absolute(b), error);
}

void requireOther(const NamedFile& first, const NamedFile& written) {
  if (!areSame(first.file, written.file)) return;
  throw UsageError(
      written.option, fmt::format("{} is the file of {} too; name another", written.file,
                                  first.option));
}

}  // namespace

void requireDistinct(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written) {
  for (std::size_t k = 0; k < written.size(); ++k) {
    for (const NamedFile& file : read) requireOther(file, written[k]);
    for (std::size_t i = 0; i < k; ++i) requireOther(written[i], written[k]);
  }
}

}  // namespace cornet::app
