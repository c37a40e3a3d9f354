#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Controls over time in a text file: names in the first line, then numbers, parted by commas; the first column is the time. # begins
/// a comment.
///
///   time, left, right
///   0,    0.01, 0.01
///   0.5,  0.05, 0.05
namespace cornet {

struct ControlTable {
  std::vector<std::string> names;  // of the columns behind the time
  std::vector<double> times;       // [s]
  std::vector<std::vector<double>> columns;
};

/// Throws FileError when the file cannot be read, FormatError naming the line when it does not hold what it should.
ControlTable readControlTable(const std::filesystem::path& file);

}  // namespace cornet
