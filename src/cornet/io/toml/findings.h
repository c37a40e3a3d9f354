#pragma once

#include <compare>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// What is wrong with a text file, all of it at once. A finding reads
///
///   pair.toml:4:1: error: unknown key "radus" in [a]
///     4 | radus = 0.5
///       | ^
///   help: did you mean "radius"?
namespace cornet {

/// Both count from 1; columns are characters.
struct SourcePlace {
  int line = 1;
  int column = 1;
  auto operator<=>(const SourcePlace&) const = default;
};

struct Finding {
  SourcePlace place;  // line 0: not in the text, but given beside it
  std::string what;
  std::string help;
  std::string file = {};  // filled in by FindingsError
};

/// The text of a file with its name.
class SourceText {
 public:
  SourceText(std::string name, std::string text);
  /// Throws FileError when the file cannot be read.
  static SourceText read(const std::filesystem::path& file);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  /// Line n, counted from 1, without its end; empty beyond the last.
  std::string_view line(int n) const;
  /// The finding as above, without a line end.
  std::string describe(const Finding& finding) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::size_t> begins_;  // of the lines
};

/// A file that was read but is wrong. what() has all findings in the order of the file.
class FindingsError : public std::runtime_error {
 public:
  FindingsError(const SourceText& source, std::vector<Finding> findings);
  /// Of several files, in this order.
  explicit FindingsError(const std::vector<FindingsError>& files);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

}  // namespace cornet
