#include <random>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cornet/math/block_cholesky.h"
#include "cornet/math/block_diagonal.h"
#include "cornet/math/block_kernels.h"
#include "cornet/math/block_sparse.h"
#include "support/dense.h"

namespace cornet {
namespace {

using test::randomMatrix;

BlockSparseMatrix randomSparse(std::mt19937& random) {
  const std::vector<int> column_offsets = {0, 6, 12, 15, 16, 20};
  BlockSparseMatrix A(column_offsets);
  for (const int rows : {3, 1, 6, 3, 2, 3}) {
    A.appendRow(rows);
    const int i = A.rowBlockCount() - 1;
    for (int j = 0; j < 5; ++j) {
      if (random() % 2) continue;
      const int k = A.appendBlock(j);
      A.block(i, k) = randomMatrix(rows, A.columnSize(j), random);
    }
  }
  return A;
}

TEST(BlockSparse, ProductsMatchTheDenseMatrix) {
  std::mt19937 random(61);
  for (int trial = 0; trial < 50; ++trial) {
    const BlockSparseMatrix A = randomSparse(random);
    const MatrixXd dense = test::toDense(A);
    const VectorXd x = randomMatrix(A.cols(), 1, random);
    const VectorXd y = randomMatrix(A.rows(), 1, random);
    VectorXd result;
    A.multiply(x, result);
    ASSERT_LE((result - dense * x).norm(), 1e-13);
    A.multiplyTransposed(y, result);
    ASSERT_LE((result - dense.transpose() * y).norm(), 1e-13);
  }
}

TEST(BlockSparse, FindsBlocksByRowAndColumn) {
  std::mt19937 random(62);
  const BlockSparseMatrix A = randomSparse(random);
  for (int i = 0; i < A.rowBlockCount(); ++i) {
    for (int j = 0; j < A.columnBlockCount(); ++j) {
      const int k = A.findBlock(i, j);
      if (k >= 0) {
        EXPECT_EQ(A.column(k), j);
        EXPECT_TRUE(k >= A.begin(i) && k < A.end(i));
      }
    }
  }
}

TEST(BlockSparse, EqualityIsBitByBit) {
  std::mt19937 random(63);
  const BlockSparseMatrix A = randomSparse(random);
  BlockSparseMatrix B = A;
  EXPECT_TRUE(A == B);
  B.block(0, B.begin(0))(0, 0) = -0.0;
  BlockSparseMatrix C = B;
  C.block(0, C.begin(0))(0, 0) = 0.0;
  EXPECT_FALSE(B == C);
}

TEST(BlockKernels, RowOfThreeByThreeBlocksMatchesDense) {
  std::mt19937 random(64);
  const MatrixXd row = randomMatrix(3, 30, random);
  const VectorXd x = randomMatrix(30, 1, random);
  kernels::RowSum3 sum;
  for (int k = 0; k < 10; ++k) {
    const Matrix3d block = row.middleCols<3>(3 * k);
    sum.add(block.data(), x.data() + 3 * k);
  }
  Vector3d y(1.0, 2.0, 3.0);
  const Vector3d expected = y + row * x;
  sum.addTo(y.data());
  EXPECT_LE((y - expected).norm(), 1e-13);
}

TEST(BlockDiagonal, ProductMatchesTheDenseMatrix) {
  std::mt19937 random(65);
  const std::vector<int> sizes = {6, 1, 3, 7};
  BlockDiagonalMatrix M(sizes);
  MatrixXd dense = MatrixXd::Zero(17, 17);
  for (int i = 0; i < 4; ++i) {
    M.block(i) = randomMatrix(sizes[i], sizes[i], random);
    dense.block(M.offset(i), M.offset(i), sizes[i], sizes[i]) = M.block(i);
  }
  const VectorXd x = randomMatrix(17, 1, random);
  VectorXd y;
  M.multiply(x, y);
  EXPECT_LE((y - dense * x).norm(), 1e-13);
}

TEST(BlockCholesky, SolvesEveryBlock) {
  std::mt19937 random(66);
  const std::vector<int> sizes = {6, 1, 3, 9};
  BlockDiagonalMatrix M(sizes);
  for (int i = 0; i < 4; ++i) {
    const MatrixXd G = randomMatrix(sizes[i], sizes[i], random);
    M.block(i) = G * G.transpose() + MatrixXd::Identity(sizes[i], sizes[i]);
  }
  BlockCholesky cholesky;
  ASSERT_EQ(cholesky.factor(M), -1);
  const VectorXd x = randomMatrix(19, 1, random);
  VectorXd y;
  M.multiply(x, y);
  cholesky.solveInPlace(y);
  EXPECT_LE((y - x).norm(), 1e-12);
}

TEST(BlockCholesky, SolvesFromTheRightWithTheTransposedFactor) {
  std::mt19937 random(67);
  const std::vector<int> sizes = {6};
  BlockDiagonalMatrix M(sizes);
  const MatrixXd G = randomMatrix(6, 6, random);
  M.block(0) = G * G.transpose() + MatrixXd::Identity(6, 6);
  BlockCholesky cholesky;
  ASSERT_EQ(cholesky.factor(M), -1);
  const MatrixXd J = randomMatrix(3, 6, random);
  MatrixXd B = J;
  cholesky.solveFromRightInPlace(0, B);  // B Bᵀ = J M⁻¹ Jᵀ
  const MatrixXd W = J * MatrixXd(M.block(0)).ldlt().solve(J.transpose());
  EXPECT_LE((B * B.transpose() - W).norm(), 1e-13 * W.norm());
}

TEST(BlockCholesky, NamesTheFirstBlockThatIsNotPositiveDefinite) {
  const std::vector<int> sizes = {2, 1, 2};
  BlockDiagonalMatrix M(sizes);
  for (int i = 0; i < 3; ++i) M.block(i).setIdentity();
  BlockCholesky cholesky;
  M.block(1)(0, 0) = -1.0;
  EXPECT_EQ(cholesky.factor(M), 1);
  M.block(1)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cholesky.factor(M), 1);
  M.block(1)(0, 0) = 0.0;
  EXPECT_EQ(cholesky.factor(M), 1);
}

}  // namespace
}  // namespace cornet
