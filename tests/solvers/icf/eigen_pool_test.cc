#include <gtest/gtest.h>

#include "cornet/solvers/icf/eigen_pool.h"

namespace cornet {
namespace {

TEST(EigenPool, KeepsMatricesOfAnySizeOneAfterTheOther) {
  EigenPool<MatrixXd> pool;
  for (int i = 1; i <= 4; ++i) pool.add(i, i + 1).setConstant(i);
  ASSERT_EQ(pool.size(), 4);
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(pool[i - 1].rows(), i);
    EXPECT_EQ(pool[i - 1].cols(), i + 1);
    EXPECT_EQ(pool[i - 1].sum(), i * i * (i + 1));
    if (i > 1) {
      EXPECT_EQ(pool[i - 1].data(), pool[i - 2].data() + (i - 1) * i);
    }
  }
}

TEST(EigenPool, FixedSizesAreReferences) {
  EigenPool<Vector3d> pool;
  pool.add() = Vector3d(1.0, 2.0, 3.0);
  pool.add().setZero();
  pool[1].x() = 4.0;
  EXPECT_EQ(pool[0].y(), 2.0);
  EXPECT_EQ(&pool[1].x(), &pool[0].x() + 3);
}

TEST(EigenPool, KeepsItsMemoryWhenCleared) {
  EigenPool<MatrixXd> pool;
  pool.reserve(10, 36);
  const double* first = pool.add(6, 6).data();
  for (int i = 0; i < 9; ++i) pool.add(6, 6);
  EXPECT_EQ(pool[0].data(), first);
  pool.clear();
  EXPECT_EQ(pool.size(), 0);
  EXPECT_EQ(pool.add(2, 3).data(), first);
}

TEST(EigenPool, TakesTheShapesOfAnotherPool) {
  EigenPool<MatrixXd> a, b;
  a.add(2, 3);
  a.add(4, 1);
  b.resizeLike(a);
  EXPECT_EQ(b[1].rows(), 4);
  EXPECT_EQ(b[1].data(), b[0].data() + 6);
}

}  // namespace
}  // namespace cornet
