#include "cornet/math/union_find.h"

#include <cstddef>
#include <numeric>

namespace cornet {

void UnionFind::reset(int n) {
  parent_.resize(static_cast<std::size_t>(n));
  std::iota(parent_.begin(), parent_.end(), 0);
}

std::vector<int> UnionFind::labels() {
  std::vector<int> label(parent_.size());
  int count = 0;
  for (int i = 0; i < static_cast<int>(parent_.size()); ++i) {
    const int root = find(i);
    label[i] = root == i ? count++ : label[root];
  }
  return label;
}

}  // namespace cornet
