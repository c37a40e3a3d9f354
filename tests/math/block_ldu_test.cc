#include "cornet/math/block_ldu.h"

#include <random>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "support/dense.h"

namespace cornet {
namespace {

using test::randomMatrix;
using Random = std::mt19937;
using Pairs = std::vector<std::pair<int, int>>;

struct Filled {
  BlockGraph graph;
  MatrixXd dense;
};

// Random values on the pattern, diagonally dominant so that no pivoting is needed.
Filled fill(const std::vector<int>& sizes, const Pairs& pairs, bool symmetric, Random& random) {
  Filled sample{BlockGraph(sizes, pairs), {}};
  std::vector<int> offset(sizes.size() + 1, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) offset[i + 1] = offset[i] + sizes[i];
  const int n = offset.back();
  sample.dense = MatrixXd::Zero(n, n);
  const auto block = [&](int i, int j) {
    return sample.dense.block(offset[i], offset[j], sizes[i], sizes[j]);
  };
  for (int e = 0; e < sample.graph.entryCount(); ++e) {
    const int i = sample.graph.first(e);
    const int j = sample.graph.second(e);
    block(i, j) = randomMatrix(sizes[i], sizes[j], random);
    block(j, i) = symmetric ? MatrixXd(block(i, j).transpose())
                            : randomMatrix(sizes[j], sizes[i], random);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int k = static_cast<int>(i);
    const MatrixXd G = randomMatrix(sizes[i], sizes[i], random);
    block(k, k) = symmetric ? MatrixXd(G + G.transpose()) : G;
  }
  for (int r = 0; r < n; ++r) sample.dense(r, r) += 1.0 + sample.dense.row(r).cwiseAbs().sum();
  // Rows turned around keep the dominance and change the sign of the determinant.
  for (int r = 0; r < n && !symmetric; ++r) {
    if (random() % 2) sample.dense.row(r) *= -1.0;
  }
  return sample;
}

void load(const Filled& sample, bool symmetric, BlockLdu& ldu) {
  std::vector<int> offset(1, 0);
  for (const int size : sample.graph.sizes()) offset.push_back(offset.back() + size);
  const auto block = [&](int i, int j) -> MatrixXd {
    return sample.dense.block(offset[i], offset[j], sample.graph.size(i), sample.graph.size(j));
  };
  ldu.setZero();
  for (int i = 0; i < sample.graph.blockCount(); ++i) ldu.addDiagonal(i, block(i, i));
  for (int e = 0; e < sample.graph.entryCount(); ++e) {
    const int i = sample.graph.first(e);
    const int j = sample.graph.second(e);
    if (symmetric) {
      ldu.addSymmetricEntry(e, block(i, j));
    } else {
      ldu.addEntry(e, block(i, j), block(j, i));
    }
  }
}

// Dense LU beside the sparse one, the same factorization used twice.
void expectSolves(const std::vector<int>& sizes, const Pairs& pairs, Random& random) {
  for (const bool symmetric : {true, false}) {
    const Filled sample = fill(sizes, pairs, symmetric, random);
    const LduStructure structure(sample.graph);
    BlockLdu ldu(structure);
    for (int repeat = 0; repeat < 2; ++repeat) {
      load(sample, symmetric, ldu);
      EXPECT_EQ(symmetric ? ldu.factorSymmetric() : ldu.factorGeneral(), 0);
      const VectorXd b = randomMatrix(static_cast<int>(sample.dense.rows()), 1, random);
      VectorXd x = b;
      ldu.solveInPlace(x);
      const VectorXd expected = sample.dense.partialPivLu().solve(b);
      ASSERT_LE((x - expected).norm(), 1e-11 * expected.norm()) << (symmetric ? "symmetric" : "general");
      EXPECT_EQ(ldu.determinantSign(), sample.dense.determinant() > 0.0 ? 1 : -1);
    }
  }
}

TEST(BlockLdu, SolvesChains) {
  Random random(101);
  Pairs pairs;
  for (int i = 0; i + 1 < 20; ++i) pairs.emplace_back(i, i + 1);
  expectSolves(std::vector<int>(20, 6), pairs, random);
  expectSolves(std::vector<int>(20, 3), pairs, random);
}

TEST(BlockLdu, SolvesRandomGraphsWithBlocksOfAnySize) {
  Random random(102);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 1 + static_cast<int>(random() % 25);
    std::vector<int> sizes;
    for (int i = 0; i < n; ++i) sizes.push_back(1 + static_cast<int>(random() % 8));
    Pairs pairs;
    const int edges = static_cast<int>(random() % (3 * n));
    for (int e = 0; e < edges; ++e) {
      pairs.emplace_back(static_cast<int>(random() % n), static_cast<int>(random() % n));
    }
    expectSolves(sizes, pairs, random);
  }
}

TEST(BlockLdu, SolvesGrids) {
  Random random(103);
  Pairs pairs;
  constexpr int kSide = 9;
  for (int r = 0; r < kSide; ++r) {
    for (int c = 0; c < kSide; ++c) {
      if (c + 1 < kSide) pairs.emplace_back(r * kSide + c, r * kSide + c + 1);
      if (r + 1 < kSide) pairs.emplace_back(r * kSide + c, (r + 1) * kSide + c);
    }
  }
  expectSolves(std::vector<int>(kSide * kSide, 6), pairs, random);
}

TEST(BlockLdu, ReplacesPivotsThatAreLost) {
  const std::vector<int> sizes = {2};
  const BlockGraph graph(sizes, Pairs{});
  const LduStructure structure(graph);
  BlockLdu ldu(structure);
  ldu.setZero();
  MatrixXd A(2, 2);
  A << 1.0, 1.0, 1.0, 1.0;
  ldu.addDiagonal(0, A);
  EXPECT_EQ(ldu.factorGeneral(), 1);
  VectorXd x = VectorXd::Ones(2);
  ldu.solveInPlace(x);
  EXPECT_TRUE(x.allFinite());
}

TEST(BlockLdu, OfNothingIsFine) {
  const BlockGraph graph(std::vector<int>{}, Pairs{});
  const LduStructure structure(graph);
  BlockLdu ldu(structure);
  ldu.setZero();
  EXPECT_EQ(ldu.factorSymmetric(), 0);
  VectorXd x(0);
  ldu.solveInPlace(x);
}

TEST(BlockGraph, FindsItsEntriesAndKnowsItselfByItsHash) {
  const std::vector<int> sizes = {3, 6, 3};
  const BlockGraph graph(sizes, Pairs{{0, 2}, {2, 0}, {1, 1}, {1, 2}});
  EXPECT_EQ(graph.entryCount(), 2);
  EXPECT_EQ(graph.findEntry(0, 2), graph.findEntry(2, 0));
  EXPECT_EQ(graph.findEntry(0, 1), -1);
  EXPECT_EQ(graph.hash(), BlockGraph(sizes, Pairs{{1, 2}, {0, 2}}).hash());
  EXPECT_NE(graph.hash(), BlockGraph(sizes, Pairs{{1, 2}}).hash());
}

TEST(BlockGraph, OrderIsAPermutation) {
  Random random(104);
  for (const int n : {1, 50, 6000}) {  // the last by nested dissection
    Pairs pairs;
    for (int i = 0; i + 1 < n; ++i) pairs.emplace_back(i, static_cast<int>(random() % n));
    std::vector<int> order = makeFillReducingOrder(BlockGraph(std::vector<int>(n, 6), pairs));
    std::ranges::sort(order);
    for (int i = 0; i < n; ++i) ASSERT_EQ(order[i], i);
  }
}

}  // namespace
}  // namespace cornet
