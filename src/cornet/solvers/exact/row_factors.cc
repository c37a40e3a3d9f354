#include "cornet/solvers/exact/row_factors.h"

#include <algorithm>
#include <cmath>

namespace cornet::exact {
namespace {

constexpr double kRepeated = 1e-11;  // of rows of length one: those that differ by less from others repeat them

}  // namespace

bool RowFactors::reset(const ContactProblem& problem, Compliance compliance) {
  if (mass_.factor(problem.M) >= 0) return false;
  const BlockSparseMatrix& J = problem.J;
  const std::vector<double>& R = problem.rows.compliance;
  const bool gives = compliance == Compliance::in_columns && std::ranges::any_of(R, [](double value) { return value > 0.0; });
  A_.setZero(J.rows(), J.cols() + (gives ? J.rows() : 0));
  for (int i = 0; i < J.rowBlockCount(); ++i) {
    for (int k = J.begin(i); k < J.end(i); ++k) {
      MatrixXd block = J.block(i, k);
      mass_.solveFromRightInPlace(J.column(k), block);
      A_.block(J.rowOffset(i), J.columnOffset(J.column(k)), block.rows(), block.cols()) = block;
    }
  }
  for (Eigen::Index row = 0; gives && row < A_.rows(); ++row) A_(row, J.cols() + row) = std::sqrt(R[static_cast<std::size_t>(row)]);
  return true;
}

void RowFactors::decompose(const std::vector<int>& rows) {
  At_ = A_(rows, Eigen::all).transpose();
  scale_ = At_.colwise().norm().transpose();
  for (double& scale : scale_) scale = scale > 0.0 ? 1.0 / scale : 0.0;
  At_ = At_ * scale_.asDiagonal();
  factors_.setThreshold(kRepeated);
  factors_.compute(At_);
}

VectorXd RowFactors::meet(const VectorXd& missing) const {
  return factors_.transpose().solve(VectorXd(scale_.cwiseProduct(missing)));
}

VectorXd RowFactors::pull(const VectorXd& change) const { return scale_.cwiseProduct(factors_.solve(change)); }

MatrixXd RowFactors::makeBalanced() const {
  const Eigen::Index count = At_.cols() - factors_.rank();
  MatrixXd Z = factors_.matrixZ();
  return scale_.asDiagonal() * (factors_.colsPermutation() * MatrixXd(Z.transpose().rightCols(count)));
}

}  // namespace cornet::exact
