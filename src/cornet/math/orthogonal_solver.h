#pragma once

#include <Eigen/QR>

#include "cornet/math/types.h"

/// Least squares of matrices of any rank, by a complete orthogonal decomposition A P = Q [T 0; 0 0] Z:
///
///   x of least length among those with the least ‖A x - b‖, and the same for Aᵀ
///
/// Solving again and again takes no memory, nor does decomposing matrices of one size.
namespace cornet {

class OrthogonalSolver {
 public:
  /// Pivots below this share of the largest one are zero.
  explicit OrthogonalSolver(double threshold) { factors_.setThreshold(threshold); }

  void setThreshold(double threshold) { factors_.setThreshold(threshold); }
  void compute(const MatrixXd& A) { factors_.compute(A); }
  /// A x = b.
  void solve(const VectorXd& b, VectorXd& x);
  /// Aᵀ x = b.
  void solveTransposed(const VectorXd& b, VectorXd& x);

 private:
  void reflectByQ(Eigen::Index k, VectorXd& x) const;
  void reflectByZ(Eigen::Index k, VectorXd& x) const;

  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors_;
  VectorXd turned_, z_;  // Qᵀb; z
};

}  // namespace cornet
