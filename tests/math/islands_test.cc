#include "cornet/math/islands.h"

#include <vector>

#include <gtest/gtest.h>

#include "cornet/math/ldu_plan.h"

namespace cornet {
namespace {

// Block rows by the columns they touch, all blocks 1x1.
BlockSparseMatrix pattern(int columns, const std::vector<std::vector<int>>& rows) {
  std::vector<int> offsets;
  for (int j = 0; j <= columns; ++j) offsets.push_back(j);
  BlockSparseMatrix matrix(offsets);
  for (const std::vector<int>& row : rows) {
    matrix.appendRow(1);
    for (const int column : row) matrix.appendBlock(column);
  }
  return matrix;
}

TEST(Islands, AreNumberedByTheirFirstRow) {
  Islands islands;
  islands.split(pattern(6, {{4}, {0, 1}, {}, {4, 5}, {1}}));
  EXPECT_EQ(islands.count(), 3);
  EXPECT_EQ(islands.ofRow(), (std::vector<int>{0, 1, 2, 0, 1}));
  EXPECT_EQ(islands.ofColumn(), (std::vector<int>{1, 1, -1, -1, 0, 0}));
}

TEST(Islands, ListTheirRowsAndColumnsInOrder) {
  Islands islands;
  islands.split(pattern(6, {{4}, {0, 1}, {}, {4, 5}, {1}}));
  const auto list = [](std::span<const int> x) { return std::vector<int>(x.begin(), x.end()); };
  EXPECT_EQ(list(islands.rows(0)), (std::vector<int>{0, 3}));
  EXPECT_EQ(list(islands.rows(1)), (std::vector<int>{1, 4}));
  EXPECT_EQ(list(islands.rows(2)), (std::vector<int>{2}));
  EXPECT_EQ(list(islands.columns(0)), (std::vector<int>{4, 5}));
  EXPECT_TRUE(islands.columns(2).empty());
  EXPECT_EQ(islands.placeOfRow(4), 1);
  EXPECT_EQ(islands.placeOfColumn(5), 1);
  EXPECT_EQ(islands.placeOfColumn(2), -1);
}

TEST(Islands, OfNothingAreNone) {
  Islands islands;
  islands.split(pattern(0, {}));
  EXPECT_EQ(islands.count(), 0);
}

LduPlan planOf(int blocks) {
  const std::vector<int> sizes(blocks, 3);
  const BlockGraph graph(sizes, {});
  return {{blocks, -1}, LduStructure(graph), {}};
}

TEST(LduPlanCache, FindsWhatWasPutInAndForgetsTheOldest) {
  LduPlanCache cache;
  const auto find = [&](int blocks) { return cache.find(std::vector<int>{blocks, -1}); };
  EXPECT_EQ(find(1), nullptr);
  for (int blocks = 1; blocks <= 256; ++blocks) cache.insert(planOf(blocks));
  ASSERT_NE(find(1), nullptr);  // used again: no longer the oldest
  EXPECT_EQ(find(1)->structure.dimension(), 3);
  cache.insert(planOf(257));
  EXPECT_EQ(find(2), nullptr);
  EXPECT_NE(find(1), nullptr);
  EXPECT_NE(find(257), nullptr);
}

}  // namespace
}  // namespace cornet
