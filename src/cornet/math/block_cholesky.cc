#include "cornet/math/block_cholesky.h"

#include <cassert>
#include <type_traits>

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

namespace {

// L and Lᵀ of a small block, column by column: for a few unknowns plain loops beat a library call.
constexpr int kSmall = 12;
constexpr std::integral_constant<int, 6> kBody;

// Size is an int, or a constant of which the compiler makes straight code.
template <class Size>
void solveSmall(Size n, const double* L, double* x) {
  for (int k = 0; k < n; ++k) {
    x[k] /= L[k * n + k];
    for (int r = k + 1; r < n; ++r) x[r] -= L[k * n + r] * x[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    double sum = x[k];
    for (int r = k + 1; r < n; ++r) sum -= L[k * n + r] * x[r];
    x[k] = sum / L[k * n + k];
  }
}

// X <- X L⁻ᵀ, column by column.
template <class Lower, class Columns>
void solveColumns(const Lower& lower, Columns& X) {
  for (int k = 0; k < lower.rows(); ++k) {
    for (int j = 0; j < k; ++j) X.col(k) -= X.col(j) * lower(k, j);
    X.col(k) /= lower(k, k);
  }
}

}  // namespace

void BlockCholesky::solveBlockInPlace(int i, Eigen::Ref<MatrixXd> x) const {
  const auto lower = lower_.block(i);
  const auto n = static_cast<int>(lower.rows());
  assert(x.rows() == n);
  if (n == 6 && x.cols() == 1) return solveSmall(kBody, lower.data(), x.data());
  if (n <= kSmall) {
    for (Eigen::Index c = 0; c < x.cols(); ++c) solveSmall(n, lower.data(), &x(0, c));
    return;
  }
  lower.triangularView<Eigen::Lower>().solveInPlace(x);
  lower.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

void BlockCholesky::solveFromRightInPlace(int i, Eigen::Ref<MatrixXd> X) const {
  const auto lower = lower_.block(i);
  assert(X.cols() == lower.rows());
  if (X.rows() == 3 && X.outerStride() == 3 && lower.rows() == 6) {  // a contact with a body
    Eigen::Map<Eigen::Matrix<double, 3, 6>> contact(X.data());
    solveColumns(Eigen::Map<const Eigen::Matrix<double, 6, 6>>(lower.data()), contact);
    return;
  }
  solveColumns(lower, X);
}

void BlockCholesky::solveInPlace(VectorXd& x) const {
  assert(x.size() == lower_.dimension());
  for (int i = 0; i < lower_.blockCount(); ++i) {
    solveBlockInPlace(i, x.segment(lower_.offset(i), lower_.size(i)));
  }
}

}  // namespace cornet
