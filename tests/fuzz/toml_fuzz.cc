// Damages the text of pair or scene files a number of times: every text is read or refused with findings that
// stand in it. Anything else (signal, sanitizer report, another exception) is a failure, and the text is kept.
//
//   toml_fuzz COUNT FOLDER [SEED] [scene]
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cornet/io/pair_file.h"
#include "cornet/io/scene/scene.h"

namespace {

using Random = std::mt19937_64;

// What breaks readers, and what keeps a text nearly right.
const std::vector<std::string> kPieces = {
    "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\"", "'''", "\n", "\t", "#", "nan", "-inf", "1e999",
    "1979-05-27", "true", "radius", "[a]\n", "[b.shape]\n", "shape", "type = \"box\"\n",
    "points = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\n", "quat_wxyz = [0, 0, 0, 0]\n", "99999999999999999999",
    "\"$mu\"", "\"=1/0\"", "\"=((2\"", "=", "[[stack]]\n", "[[check]]\n", "name", "include = [\"x.toml\"]\n",
    "0x", "\xff", "\xc3\xb6", "\\u0000", std::string(1, '\0')};

void damage(std::string& text, Random& random) {
  const int count = 1 + static_cast<int>(random() % 4);
  for (int k = 0; k < count && !text.empty(); ++k) {
    const std::size_t at = random() % text.size();
    const std::size_t length = 1 + random() % 12;
    switch (random() % 5) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, kPieces[random() % kPieces.size()]); break;
      case 3: text.insert(at, text.substr(random() % text.size(), 4 * length)); break;
      default: text.replace(at, std::min(length, text.size() - at), kPieces[random() % kPieces.size()]);
    }
  }
}

struct Outcome {
  long read = 0, refused = 0, findings = 0;
};

void tryText(const std::string& text, bool is_scene, Outcome& outcome) {
  const auto lines = static_cast<int>(std::ranges::count(text, '\n')) + 1;
  try {
    cornet::SourceText source("damaged.toml", text);
    if (is_scene) {
      cornet::readScene(std::move(source));
    } else {
      cornet::readShapePair(std::move(source));
    }
    ++outcome.read;
  } catch (const cornet::FindingsError& error) {
    ++outcome.refused;
    for (const cornet::Finding& finding : error.findings()) {
      ++outcome.findings;
      const bool placed = finding.place.line >= 1 && finding.place.line <= lines && finding.place.column >= 1;
      if (!placed || finding.what.empty() || finding.help.empty()) throw std::logic_error(error.what());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const long count = std::atol(argv[1]);
  Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const bool is_scene = argc > 4 && std::string(argv[4]) == "scene";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> corpus;
  for (const auto& file : files) corpus.push_back(cornet::SourceText::read(file).text());
  Outcome outcome;
  for (long k = 0; k < count; ++k) {
    std::string text = corpus[random() % corpus.size()];
    damage(text, random);
    try {
      tryText(text, is_scene, outcome);
    } catch (const std::exception& error) {
      std::ofstream("toml_fuzz_failure.toml", std::ios::binary) << text;
      fmt::print(stderr, "text {}: {}\n", k, error.what());
      return 1;
    }
  }
  fmt::print("{} texts read, {} refused with {} findings\n", outcome.read, outcome.refused, outcome.findings);
  return outcome.read > 0 && outcome.refused > 0 ? 0 : 1;
}
