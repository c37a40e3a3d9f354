#include "cornet/math/orthogonal_solver.h"

#include <utility>

namespace cornet {

// Reflection k of those that Q is made of, on x.
void OrthogonalSolver::reflectByQ(Eigen::Index k, VectorXd& x) const {
  const Eigen::Index rest = x.size() - k;
  double one = 0.0;  // of one column
  x.tail(rest).applyHouseholderOnTheLeft(factors_.matrixQTZ().col(k).tail(rest - 1), factors_.hCoeffs()[k], &one);
}

// The same of Z.
void OrthogonalSolver::reflectByZ(Eigen::Index k, VectorXd& x) const {
  const Eigen::Index rank = factors_.rank(), rest = x.size() - rank;
  double one = 0.0;
  std::swap(x[k], x[rank - 1]);
  x.tail(rest + 1).applyHouseholderOnTheLeft(factors_.matrixQTZ().row(k).tail(rest).transpose(), factors_.zCoeffs()[k], &one);
  std::swap(x[k], x[rank - 1]);
}

void OrthogonalSolver::solve(const VectorXd& b, VectorXd& x) {
  const Eigen::Index rank = factors_.rank(), columns = factors_.cols();
  turned_ = b;
  for (Eigen::Index k = 0; k < rank; ++k) reflectByQ(k, turned_);
  z_.setZero(columns);
  z_.head(rank) = turned_.head(rank);
  factors_.matrixT().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(z_.head(rank));
  for (Eigen::Index k = 0; rank < columns && k < rank; ++k) reflectByZ(k, z_);
  x.resize(columns);
  x.noalias() = factors_.colsPermutation() * z_;
}

void OrthogonalSolver::solveTransposed(const VectorXd& b, VectorXd& x) {
  const Eigen::Index rank = factors_.rank(), columns = factors_.cols();
  z_.resize(columns);
  z_.noalias() = factors_.colsPermutation().transpose() * b;
  for (Eigen::Index k = rank - 1; rank < columns && k >= 0; --k) reflectByZ(k, z_);
  factors_.matrixT().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().transpose().solveInPlace(z_.head(rank));
  x.setZero(factors_.rows());
  x.head(rank) = z_.head(rank);
  for (Eigen::Index k = rank - 1; k >= 0; --k) reflectByQ(k, x);
}

}  // namespace cornet
