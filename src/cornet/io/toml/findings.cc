#include "cornet/io/toml/findings.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "cornet/io/format_error.h"

namespace cornet {
namespace {

// Blanks as wide as the characters before the column; tabs stay tabs, so that the caret stands right.
std::string blanksBefore(std::string_view line, int column) {
  std::string blanks;
  for (const char c : line) {
    if (static_cast<int>(blanks.size()) + 1 >= column) break;
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // inside a UTF-8 character
    if (!continues) blanks.push_back(c == '\t' ? '\t' : ' ');
  }
  blanks.resize(static_cast<std::size_t>(column) - 1, ' ');
  return blanks;
}

std::string describeAll(const SourceText& source, const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (!text.empty()) text += '\n';
    text += source.describe(finding);
  }
  return text;
}

std::vector<Finding> sorted(const SourceText& source, std::vector<Finding> findings) {
  std::ranges::stable_sort(findings, {}, &Finding::place);
  for (Finding& finding : findings) finding.file = source.name();
  return findings;
}

std::string joinTexts(const std::vector<FindingsError>& files) {
  std::string text;
  for (const FindingsError& file : files) {
    if (!text.empty()) text += '\n';
    text += file.what();
  }
  return text;
}

}  // namespace

SourceText::SourceText(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), begins_{0} {
  for (std::size_t k = 0; k < text_.size(); ++k) {
    if (text_[k] == '\n') begins_.push_back(k + 1);
  }
}

SourceText SourceText::read(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) throw FileError(file, "no such file");
  if (std::filesystem::is_directory(file)) throw FileError(file, "is a folder; expected a file");
  std::ifstream stream(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream) throw FileError(file, "cannot be read");
  return {file.string(), std::move(text)};
}

std::string_view SourceText::line(int n) const {
  if (n < 1 || n > static_cast<int>(begins_.size())) return {};
  const std::string_view rest = std::string_view(text_).substr(begins_[n - 1]);
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string SourceText::describe(const Finding& finding) const {
  const auto [n, column] = finding.place;
  if (n == 0) return fmt::format("{}: error: {}\nhelp: {}", name_, finding.what, finding.help);
  const std::string number = std::to_string(n);
  return fmt::format("{0}:{1}:{2}: error: {3}\n  {1} | {4}\n  {5} | {6}^\nhelp: {7}", name_, number,
                     column, finding.what, line(n), std::string(number.size(), ' '),
                     blanksBefore(line(n), column), finding.help);
}

FindingsError::FindingsError(const SourceText& source, std::vector<Finding> findings)
    : std::runtime_error(describeAll(source, sorted(source, findings))),
      findings_(sorted(source, std::move(findings))) {}

FindingsError::FindingsError(const std::vector<FindingsError>& files)
    : std::runtime_error(joinTexts(files)) {
  for (const FindingsError& file : files) {
    findings_.insert(findings_.end(), file.findings().begin(), file.findings().end());
  }
}

}  // namespace cornet
