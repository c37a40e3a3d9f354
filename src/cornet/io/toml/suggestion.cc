#include "cornet/io/toml/suggestion.h"

#include <algorithm>

namespace cornet {

// Optimal string alignment, by rows.
int calcEditDistance(std::string_view a, std::string_view b) {
  std::vector<int> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  // A third of the letters may be wrong, and always one.
  int least = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  for (const std::string& candidate : known) {
    // The beginning of a name, without its unit: angle for angle_deg.
    const bool begins = word.size() > 2 && candidate.starts_with(std::string(word) + "_");
    const int distance = begins ? 1 : calcEditDistance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace cornet
