#include "cornet/math/union_find.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cornet {
namespace {

TEST(UnionFind, LabelsFollowTheSmallestMember) {
  UnionFind sets(6);
  sets.unite(5, 2);
  sets.unite(2, 4);
  sets.unite(3, 1);
  EXPECT_EQ(sets.find(5), 2);
  EXPECT_EQ(sets.labels(), (std::vector<int>{0, 1, 2, 1, 2, 2}));
}

TEST(UnionFind, DoesNotDependOnTheOrderOfUnions) {
  std::mt19937 random(51);
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < 400; ++k) {
    pairs.emplace_back(static_cast<int>(random() % 500), static_cast<int>(random() % 500));
  }
  const auto labels = [&] {
    UnionFind sets(500);
    for (const auto& [a, b] : pairs) sets.unite(a, b);
    return sets.labels();
  };
  const std::vector<int> expected = labels();
  std::ranges::shuffle(pairs, random);
  EXPECT_EQ(labels(), expected);
}

TEST(UnionFind, OfNothingHasNoSets) { EXPECT_TRUE(UnionFind(0).labels().empty()); }

}  // namespace
}  // namespace cornet
