#pragma once

#include <algorithm>
#include <vector>

namespace cornet {

/// Disjoint sets over 0..n-1. The representative of a set is its smallest member, so the result
/// does not depend on the order in which sets were united.
class UnionFind {
 public:
  explicit UnionFind(int n) { reset(n); }
  /// Makes n sets of one element each; memory is kept.
  void reset(int n);

  /// Smallest member of the set of i; near-constant amortised cost.
  int find(int i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];  // path halving
      i = parent_[i];
    }
    return i;
  }
  void unite(int i, int j) {
    const int a = find(i);
    const int b = find(j);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  /// Set number of every element, sets numbered 0, 1, ... by their smallest member.
  std::vector<int> labels();

 private:
  std::vector<int> parent_;
};

}  // namespace cornet
