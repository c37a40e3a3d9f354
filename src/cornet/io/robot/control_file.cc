#include "cornet/io/robot/control_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/toml/findings.h"

namespace cornet {
namespace {

std::string trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? "" : std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
}

// Without its comment; none where nothing else is in it.
std::vector<std::string> splitCells(std::string_view line) {
  const std::string content = trim(line.substr(0, line.find('#')));
  std::vector<std::string> cells;
  for (std::size_t begin = 0; !content.empty() && begin <= content.size();) {
    const std::size_t end = std::min(content.find(',', begin), content.size());
    cells.push_back(trim(std::string_view(content).substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

double readCell(const std::filesystem::path& file, int line, const std::string& name, const std::string& cell) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc() && end == cell.data() + cell.size() && std::isfinite(value)) return value;
  throw FormatError(file, fmt::format("line {}, {}", line, name), fmt::format("\"{}\"", cell), "a finite number");
}

std::vector<std::string> readTitles(const std::filesystem::path& file, int line, const std::vector<std::string>& cells) {
  if (cells.front() != "time" || cells.size() < 2) {
    throw FormatError(file, fmt::format("line {}", line), fmt::format("\"{}\" with {} columns", cells.front(), cells.size()),
                      "time, and the names of one actuator or more");
  }
  for (std::size_t k = 1; k < cells.size(); ++k) {
    if (std::find(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(k), cells[k]) == cells.begin() + static_cast<std::ptrdiff_t>(k)) continue;
    throw FormatError(file, fmt::format("line {}", line), fmt::format("two columns \"{}\"", cells[k]), "one for each actuator");
  }
  return {cells.begin() + 1, cells.end()};
}

}  // namespace

ControlTable readControlTable(const std::filesystem::path& file) {
  const SourceText text = SourceText::read(file);
  const auto lines = static_cast<int>(std::ranges::count(text.text(), '\n')) + 1;
  ControlTable table;
  for (int line = 1; line <= lines; ++line) {
    const std::vector<std::string> cells = splitCells(text.line(line));
    if (cells.empty()) continue;
    if (table.names.empty()) {
      table.names = readTitles(file, line, cells);
      table.columns.resize(table.names.size());
      continue;
    }
    if (cells.size() != table.names.size() + 1) {
      throw FormatError(file, fmt::format("line {}", line), fmt::format("{} numbers", cells.size()), fmt::to_string(table.names.size() + 1));
    }
    const double time = readCell(file, line, "time", cells[0]);
    if (!table.times.empty() && !(time > table.times.back())) {
      throw FormatError(file, fmt::format("line {}, time", line), fmt::format("{} s after {} s", time, table.times.back()), "ascending times");
    }
    table.times.push_back(time);
    for (std::size_t k = 0; k < table.names.size(); ++k) table.columns[k].push_back(readCell(file, line, table.names[k], cells[k + 1]));
  }
  if (table.times.empty()) throw FormatError(file, "all of it", "no times", "a line of names, and one or more of numbers");
  return table;
}

}  // namespace cornet
