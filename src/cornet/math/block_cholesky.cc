#include "cornet/math/block_cholesky.h"

#include <cassert>

#include <Eigen/Cholesky>

namespace cornet {

int BlockCholesky::factor(const BlockDiagonalMatrix& matrix) {
  lower_ = matrix;
  for (int i = 0; i < matrix.blockCount(); ++i) {
    auto block = lower_.block(i);
    if (block.size() > 1) block = 0.5 * (matrix.block(i) + matrix.block(i).transpose());
    Eigen::LLT<Eigen::Ref<MatrixXd>> llt(block);
    // A comparison with NaN is false: non-finite blocks are refused here too.
    const bool positive = llt.info() == Eigen::Success && block.diagonal().minCoeff() > 0.0;
    if (!positive) return i;
  }
  return -1;
}

void BlockCholesky::solveBlockInPlace(int i, Eigen::Ref<MatrixXd> x) const {
  const auto lower = lower_.block(i);
  assert(x.rows() == lower.rows());
  if (lower.rows() == 1) {
    const double pivot = lower(0, 0);
    x /= pivot;
    x /= pivot;
    return;
  }
  lower.triangularView<Eigen::Lower>().solveInPlace(x);
  lower.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

void BlockCholesky::solveFromRightInPlace(int i, Eigen::Ref<MatrixXd> X) const {
  const auto lower = lower_.block(i);
  assert(X.cols() == lower.rows());
  for (int k = 0; k < lower.rows(); ++k) {
    for (int j = 0; j < k; ++j) X.col(k) -= X.col(j) * lower(k, j);
    X.col(k) /= lower(k, k);
  }
}

void BlockCholesky::solveInPlace(VectorXd& x) const {
  assert(x.size() == lower_.dimension());
  for (int i = 0; i < lower_.blockCount(); ++i) {
    solveBlockInPlace(i, x.segment(lower_.offset(i), lower_.size(i)));
  }
}

}  // namespace cornet
