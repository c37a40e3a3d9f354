#pragma once

#include <filesystem>
#include <string_view>

namespace cornet {

/// A file that is written beside the one it is to replace and takes its name when it is ready. Until then the older one is
/// untouched; who has that open keeps it. Links are followed. Devices and pipes cannot be replaced: what writes them
/// writes at once.
class FileReplacement {
 public:
  /// Begins an empty file. Throws FileError when the target is a folder, or may not be written or replaced.
  explicit FileReplacement(const std::filesystem::path& target);
  /// Removes the file if it was not ready.
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// What is to be written to.
  const std::filesystem::path& file() const { return file_; }
  /// Whether the target is a device or a pipe.
  bool isDirect() const { return file_ == target_; }
  /// It takes its place. Throws FileError.
  void finish();

 private:
  std::filesystem::path name_, target_, file_;  // as given; without links; what is written
  bool finished_ = false;
};

/// Replaces a file as a whole. Throws FileError; the older file is then as it was.
void replaceFile(const std::filesystem::path& target, std::string_view bytes);

}  // namespace cornet
