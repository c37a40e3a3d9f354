#include "cornet/io/scene/mesh_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/toml/findings.h"

namespace cornet {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> splitWords(std::string line) {
  std::ranges::replace(line, ',', ' ');
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

double toNumber(const fs::path& file, int line, const std::string& word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size() && std::isfinite(value)) return value;
  throw FormatError(file, fmt::format("line {}", line), fmt::format("\"{}\"", word), "a finite number");
}

Vector3d toPoint(const fs::path& file, int line, const std::vector<std::string>& words) {
  if (words.size() < 4) {
    throw FormatError(file, fmt::format("line {}", line), fmt::format("{} numbers", words.size() - 1),
                      "three coordinates");
  }
  return {toNumber(file, line, words[1]), toNumber(file, line, words[2]), toNumber(file, line, words[3])};
}

// ---- OBJ

// "7/1/3" is vertex 7; counted from 1, or from the last one when negative.
int toIndex(const fs::path& file, int line, const std::string& word, std::size_t count) {
  int index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  const bool good = error == std::errc() && (end == word.data() + word.size() || *end == '/');
  const int from_zero = index < 0 ? static_cast<int>(count) + index : index - 1;
  if (good && from_zero >= 0 && from_zero < static_cast<int>(count)) return from_zero;
  throw FormatError(file, fmt::format("line {}", line), fmt::format("vertex \"{}\"", word),
                    fmt::format("one of the {} vertices before it", count));
}

MeshData readObj(const fs::path& file, const SourceText& text, int lines) {
  MeshData mesh;
  for (int n = 1; n <= lines; ++n) {
    const std::vector<std::string> words = splitWords(std::string(text.line(n)));
    if (words.empty()) continue;
    if (words[0] == "v") mesh.vertices.push_back(toPoint(file, n, words));
    if (words[0] != "f") continue;
    std::vector<int> corners;
    for (std::size_t k = 1; k < words.size(); ++k) {
      corners.push_back(toIndex(file, n, words[k], mesh.vertices.size()));
    }
    for (std::size_t k = 2; k < corners.size(); ++k) {
      mesh.triangles.insert(mesh.triangles.end(), {corners[0], corners[k - 1], corners[k]});
    }
  }
  return mesh;
}

// ---- STL

// Corners that are equal to the bit become one vertex.
class Welder {
 public:
  void add(const Vector3d& x) {
    const std::array<double, 3> key = {x.x(), x.y(), x.z()};
    const auto [found, is_new] = known_.try_emplace(key, static_cast<int>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(x);
    mesh.triangles.push_back(found->second);
  }
  MeshData mesh;

 private:
  std::map<std::array<double, 3>, int> known_;
};

constexpr std::size_t kStlHeader = 84;
constexpr std::size_t kStlTriangle = 50;

// Some binary files begin with "solid" too; the length tells.
bool isBinaryStl(const std::string& text) {
  if (text.size() < kStlHeader) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, text.data() + kStlHeader - 4, 4);
  return text.size() == kStlHeader + kStlTriangle * static_cast<std::size_t>(count);
}

MeshData readBinaryStl(const fs::path& file, const std::string& text) {
  Welder welder;
  for (std::size_t at = kStlHeader; at + kStlTriangle <= text.size(); at += kStlTriangle) {
    std::array<float, 12> numbers{};  // normal, three corners
    std::memcpy(numbers.data(), text.data() + at, sizeof numbers);
    for (std::size_t k = 3; k < 12; k += 3) {
      const Vector3d x(numbers[k], numbers[k + 1], numbers[k + 2]);
      if (!x.allFinite()) throw FormatError(file, "a corner", "a number that is not finite", "coordinates");
      welder.add(x);
    }
  }
  return welder.mesh;
}

MeshData readTextStl(const fs::path& file, const SourceText& text, int lines) {
  Welder welder;
  for (int n = 1; n <= lines; ++n) {
    const std::vector<std::string> words = splitWords(std::string(text.line(n)));
    if (!words.empty() && words[0] == "vertex") welder.add(toPoint(file, n, words));
  }
  if (welder.mesh.triangles.size() % 3 != 0) {
    throw FormatError(file, "its corners", fmt::format("{} of them", welder.mesh.triangles.size()),
                      "three for each facet");
  }
  return welder.mesh;
}

int countLines(const std::string& text) { return 1 + static_cast<int>(std::ranges::count(text, '\n')); }

}  // namespace

MeshData readMesh(const fs::path& file) {
  const SourceText text = SourceText::read(file);
  const int lines = countLines(text.text());
  MeshData mesh;
  if (file.extension() == ".obj") {
    mesh = readObj(file, text, lines);
  } else if (file.extension() == ".stl") {
    mesh = isBinaryStl(text.text()) ? readBinaryStl(file, text.text()) : readTextStl(file, text, lines);
  } else {
    throw FormatError(file, "its name", fmt::format("the ending \"{}\"", file.extension().string()),
                      "\".obj\" or \".stl\"");
  }
  if (mesh.triangles.empty()) throw FormatError(file, "the file", "no triangle", "a mesh");
  return mesh;
}

HeightData readHeights(const fs::path& file) {
  const SourceText text = SourceText::read(file);
  HeightData data;
  for (int n = 1; n <= countLines(text.text()); ++n) {
    const std::vector<std::string> words = splitWords(std::string(text.line(n)));
    if (words.empty()) continue;
    if (data.ny++ == 0) data.nx = static_cast<int>(words.size());
    if (static_cast<int>(words.size()) != data.nx) {
      throw FormatError(file, fmt::format("line {}", n), fmt::format("{} numbers", words.size()),
                        fmt::format("{}, as in the first row", data.nx));
    }
    for (const std::string& word : words) data.heights.push_back(toNumber(file, n, word));
  }
  if (data.nx < 2 || data.ny < 2) {
    throw FormatError(file, "the grid", fmt::format("{} x {} heights", data.nx, data.ny), "at least 2 x 2");
  }
  return data;
}

}  // namespace cornet
