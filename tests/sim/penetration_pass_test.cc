// The pass against penetration: rows that push hold, no row pulls, none is missed, and the motion is what pushes give.
#include "cornet/sim/penetration_pass.h"

#include <random>

#include <gtest/gtest.h>

namespace cornet {
namespace {

constexpr double kProximal = 1e-3;
constexpr double kTolerance = 2e-4;  // of the largest miss

struct Heap {
  BlockDiagonalMatrix M;
  std::vector<HeldRow> rows;
  VectorXd w;
};

// Bodies with contacts to each other and to the ground, moving anyhow.
Heap makeHeap(int bodies, int contacts, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Heap heap;
  for (int k = 0; k < bodies; ++k) {
    heap.M.appendBlock(6);
    const double mass = 1.5 + uniform(random);
    heap.M.block(k).diagonal() << mass, mass, mass, 0.2 * mass, 0.3 * mass, 0.4 * mass;
  }
  for (int i = 0; i < contacts; ++i) {
    HeldRow& row = heap.rows.emplace_back();
    const int block_a = std::uniform_int_distribution<int>(-1, bodies - 1)(random);
    const int block_b = std::uniform_int_distribution<int>(0, bodies - 1)(random);
    const Vector3d n = Vector3d(uniform(random), uniform(random), uniform(random)).normalized();
    const Vector3d arm(uniform(random), uniform(random), uniform(random));
    Vector6d g;
    g << n, arm.cross(n);
    if (block_a >= 0 && block_a != block_b) row.add(block_a, -g);
    row.add(block_b, g);
    row.target = std::max(0.0, uniform(random));
    row.one_sided = true;
  }
  heap.w = VectorXd::NullaryExpr(6 * bodies, [&] { return uniform(random); });
  HeldRow& first = heap.rows.front();
  first.target += 1.0 - first.calcMiss(heap.w);  // one is missed at least
  return heap;
}

class Heaps : public testing::TestWithParam<int> {};

TEST_P(Heaps, ArePushedApartByWhatPushes) {
  Heap heap = makeHeap(1 + GetParam() % 7, 2 + GetParam() % 23, static_cast<unsigned>(GetParam()));
  const VectorXd before = heap.w;
  double largest = 0.0;
  for (const HeldRow& row : heap.rows) largest = std::max(largest, row.calcMiss(before));
  ASSERT_TRUE(PenetrationPass(kProximal).run(heap.M, heap.rows, heap.w));

  VectorXd pushed = VectorXd::Zero(heap.w.size());
  for (const HeldRow& row : heap.rows) {
    const double miss = row.calcMiss(heap.w);
    if (!row.holds) {
      EXPECT_LE(miss, kTolerance * largest);
      continue;
    }
    double W = 0.0;
    for (const auto& [block, g] : row.parts) {
      W += g.dot(heap.M.block(block).diagonal().cwiseInverse().cwiseProduct(g));
    }
    const double impulse = miss / (kProximal * W);
    EXPECT_GE(impulse * W, -kTolerance * largest);
    row.pull(impulse, pushed);
  }
  for (int k = 0; k < heap.M.blockCount(); ++k) {
    const VectorXd momentum = heap.M.block(k) * (heap.w - before).segment<6>(6 * k);
    EXPECT_LE((momentum - pushed.segment<6>(6 * k)).lpNorm<Eigen::Infinity>(), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Heaps, testing::Range(0, 60));

TEST(PenetrationPass, LeavesAloneWhatIsNotMissed) {
  Heap heap = makeHeap(3, 6, 1);
  for (HeldRow& row : heap.rows) row.target = row.target - 2.0 * std::abs(row.calcMiss(heap.w)) - 1.0;
  const VectorXd before = heap.w;
  ASSERT_TRUE(PenetrationPass(kProximal).run(heap.M, heap.rows, heap.w));
  EXPECT_EQ(heap.w, before);
}

}  // namespace
}  // namespace cornet
