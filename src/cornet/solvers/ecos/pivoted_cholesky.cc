#include "cornet/solvers/ecos/pivoted_cholesky.h"

#include <cmath>
#include <limits>
#include <vector>

namespace cornet {

MatrixXd factorSemidefinite(MatrixXd A) {
  const Eigen::Index n = A.rows();
  if (n == 0) return MatrixXd(0, 0);
  A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
  VectorXd remaining = A.diagonal();
  // Rounding of n updates of entries of the size of the diagonal.
  const double floor = 10.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() *
                       remaining.maxCoeff();
  MatrixXd F(n, n);
  std::vector<Eigen::Index> done;
  for (Eigen::Index rank = 0; rank < n; ++rank) {
    Eigen::Index pivot;
    const double largest = remaining.maxCoeff(&pivot);
    if (!(largest > floor)) return F.leftCols(rank);
    auto column = F.col(rank);
    column = A.col(pivot);
    column.noalias() -= F.leftCols(rank) * F.row(pivot).head(rank).transpose();
    column /= std::sqrt(largest);
    for (const Eigen::Index row : done) column[row] = 0.0;  // complete: what is left is rounding
    remaining -= column.cwiseAbs2();
    remaining[pivot] = 0.0;
    done.push_back(pivot);
  }
  return F;
}

}  // namespace cornet
