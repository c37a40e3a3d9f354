#include "cornet/sim/contact_search.h"

#include <algorithm>

namespace cornet {

void findPairs(const ContactSet& found, std::vector<ShapePair>& pairs) {
  pairs.clear();
  for (int k = 0; k < found.size(); ++k) {
    const bool same = !pairs.empty() && found.shape_a[k] == pairs.back().shape_a &&
                      found.shape_b[k] == pairs.back().shape_b;
    if (!same) {
      pairs.push_back({k, k, found.body_a[k], found.body_b[k], found.shape_a[k], found.shape_b[k],
                       found.gap[k]});
    }
    pairs.back().end = k + 1;
    pairs.back().least = std::min(pairs.back().least, found.gap[k]);
  }
}

}  // namespace cornet
