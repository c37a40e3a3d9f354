#pragma once

#include <random>

#include "cornet/math/block_sparse.h"

namespace cornet::test {

/// The dense matrix beside the sparse one.
inline MatrixXd toDense(const BlockSparseMatrix& A) {
  MatrixXd dense = MatrixXd::Zero(A.rows(), A.cols());
  for (int i = 0; i < A.rowBlockCount(); ++i) {
    for (int k = A.begin(i); k < A.end(i); ++k) {
      const int j = A.column(k);
      dense.block(A.rowOffset(i), A.columnOffset(j), A.rowSize(i), A.columnSize(j)) = A.block(i, k);
    }
  }
  return dense;
}

/// Normally distributed entries.
inline MatrixXd randomMatrix(int rows, int cols, std::mt19937& random) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); });
}

}  // namespace cornet::test
