// Least squares of any rank beside Eigen's own solution.
#include <random>

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "cornet/math/orthogonal_solver.h"

namespace cornet {
namespace {

// A of this size and rank.
MatrixXd makeMatrix(int rows, int columns, int rank, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(random); };
  return MatrixXd::NullaryExpr(rows, rank, draw) * MatrixXd::NullaryExpr(rank, columns, draw);
}

VectorXd solveBySingularValues(const MatrixXd& A, const VectorXd& b) {
  Eigen::JacobiSVD<MatrixXd> values(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  values.setThreshold(1e-11);
  return values.solve(b);
}

TEST(OrthogonalSolver, FindsTheShortestOfTheBestSolutions) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  OrthogonalSolver solver(1e-11);
  for (const auto& [rows, columns, rank] : {std::tuple(6, 6, 6), {6, 4, 4}, {4, 6, 4}, {18, 20, 17}, {20, 18, 1}, {5, 3, 2}}) {
    const MatrixXd A = makeMatrix(rows, columns, rank, random);
    const VectorXd b = VectorXd::NullaryExpr(rows, [&] { return normal(random); });
    const VectorXd c = VectorXd::NullaryExpr(columns, [&] { return normal(random); });
    VectorXd x, y;
    solver.compute(A);
    solver.solve(b, x);
    solver.solveTransposed(c, y);
    EXPECT_LT((x - solveBySingularValues(A, b)).norm(), 1e-12 * (1.0 + x.norm()) * A.norm()) << rows << " x " << columns;
    EXPECT_LT((y - solveBySingularValues(A.transpose(), c)).norm(), 1e-12 * (1.0 + y.norm()) * A.norm()) << rows << " x " << columns;
  }
}

TEST(OrthogonalSolver, GivesZeroWhereTheMatrixIsZero) {
  OrthogonalSolver solver(1e-11);
  solver.compute(MatrixXd::Zero(3, 2));
  VectorXd x, y;
  solver.solve(VectorXd::Ones(3), x);
  solver.solveTransposed(VectorXd::Ones(2), y);
  EXPECT_EQ(x, VectorXd::Zero(2));
  EXPECT_EQ(y, VectorXd::Zero(3));
}

}  // namespace
}  // namespace cornet
