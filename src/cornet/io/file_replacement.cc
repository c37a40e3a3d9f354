#include "cornet/io/file_replacement.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "cornet/io/format_error.h"

namespace cornet {
namespace {

namespace fs = std::filesystem;

constexpr int kMostNames = 1000;

bool tryOpen(const fs::path& file, const char* mode) {
  std::FILE* stream = std::fopen(file.c_str(), mode);
  return stream != nullptr && std::fclose(stream) == 0;
}

// A new file of a name that was free.
fs::path createBeside(const fs::path& name, const fs::path& target) {
  for (int k = 1; k <= kMostNames; ++k) {
    const fs::path file = target.string() + (k == 1 ? ".part" : fmt::format(".part{}", k));
    if (tryOpen(file, "wx")) return file;
    if (errno == EEXIST) continue;
    const char* hint = errno == ENOENT ? "; does the folder exist?" : "";
    throw FileError(name, fmt::format("cannot be written ({}{})", std::strerror(errno), hint));
  }
  throw FileError(name, fmt::format("cannot be written: remove {}.part and its like, left by programs that were killed",
                                    target.string()));
}

}  // namespace

FileReplacement::FileReplacement(const fs::path& target) : name_(target), target_(target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) throw FileError(name_, "cannot be written: it is a folder; name a file");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = target_;
    return;
  }
  if (fs::exists(status) && !tryOpen(target, "ab")) {  // which changes nothing
    throw FileError(name_, fmt::format("cannot be written ({})", std::strerror(errno)));
  }
  if (fs::is_symlink(fs::symlink_status(target, error))) target_ = fs::weakly_canonical(target, error);
  if (error) target_ = name_;
  file_ = createBeside(name_, target_);
  if (fs::exists(status)) fs::permissions(file_, status.permissions(), error);
}

FileReplacement::~FileReplacement() {
  std::error_code ignored;
  if (!finished_ && !isDirect()) fs::remove(file_, ignored);
}

void FileReplacement::finish() {
  std::error_code error;
  if (!isDirect()) fs::rename(file_, target_, error);
  if (error) throw FileError(name_, fmt::format("cannot be replaced ({})", error.message()));
  finished_ = true;
}

void replaceFile(const fs::path& target, std::string_view bytes) {
  FileReplacement replacement(target);
  std::ofstream stream(replacement.file(), std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw FileError(target, "cannot be written (disk full?)");
  replacement.finish();
}

}  // namespace cornet
