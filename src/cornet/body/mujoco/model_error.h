#pragma once

#include <stdexcept>
#include <string>

namespace cornet {

/// A robot model that was read but is wrong, or cannot be read. what() reads
///
///   hand.xml:12: error: <joint name="thumb">: range 1 to -1 is reversed
///   help: write range="-1 1"
class ModelError : public std::runtime_error {
 public:
  /// `line` 0: not known.
  ModelError(std::string file, int line, std::string what, std::string help = {});

  const std::string& file() const { return file_; }
  int line() const { return line_; }
  const std::string& fault() const { return fault_; }
  const std::string& help() const { return help_; }

 private:
  std::string file_;
  int line_;
  std::string fault_, help_;
};

}  // namespace cornet
