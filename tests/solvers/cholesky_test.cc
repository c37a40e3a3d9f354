#include "cornet/solvers/cholesky.h"

#include <random>

#include <gtest/gtest.h>

#include "cornet/problem/delassus_problem.h"

namespace cornet {
namespace {

// A = G Gᵀ of the given rank; q in its range when `consistent`.
DelassusProblem makeEqualities(std::mt19937& random, int n, int rank, bool consistent) {
  std::normal_distribution<double> normal;
  const MatrixXd G = MatrixXd::NullaryExpr(n, rank, [&] { return normal(random); });
  const VectorXd x = VectorXd::NullaryExpr(consistent ? rank : n, [&] { return normal(random); });
  ConstraintRows rows;
  for (int k = 0; k < n; k += 3) rows.addEquality(std::min(3, n - k));
  return makeDelassusProblem(rows, G * G.transpose(), consistent ? VectorXd(G * x) : x);
}

TEST(CholeskySolver, SolvesRegularAndRedundantSystemsToRounding) {
  std::mt19937 random(11);
  for (int k = 0; k < 300; ++k) {
    const int n = 1 + static_cast<int>(random() % 40);
    const int rank = 1 + static_cast<int>(random() % n);
    const DelassusProblem problem = makeEqualities(random, n, rank, true);
    Solution solution;
    ASSERT_EQ(CholeskySolver().solve(problem, solution), SolveStatus::solved)
        << n << " rows, rank " << rank << ", " << solution.certificate.relative;
    EXPECT_LE(solution.certificate.relative, 1e-9);
    EXPECT_EQ(solution.factorizations, 1);
  }
}

TEST(CholeskySolver, SaysWhenRowsContradictEachOther) {
  std::mt19937 random(12);
  for (int k = 0; k < 100; ++k) {
    const DelassusProblem problem = makeEqualities(random, 9, 5, false);
    Solution solution;
    EXPECT_EQ(CholeskySolver().solve(problem, solution), SolveStatus::infeasible);
    EXPECT_TRUE(solution.lambda.allFinite());
  }
}

TEST(CholeskySolver, RefusesOtherLawsAndBadOptions) {
  ConstraintRows rows;
  rows.addUnilateral(1);
  const DelassusProblem problem =
      makeDelassusProblem(rows, MatrixXd::Identity(1, 1), VectorXd::Constant(1, -1.0));
  Solution solution;
  EXPECT_EQ(CholeskySolver().solve(problem, solution), SolveStatus::unsupported);
  EXPECT_EQ(solution.lambda, VectorXd(VectorXd::Zero(1)));
  EXPECT_THROW(CholeskySolver({.tolerance = -1.0}), std::invalid_argument);
  EXPECT_THROW(CholeskySolver({.max_iterations = 0}), std::invalid_argument);
}

TEST(CholeskySolver, NoRowsAreSolved) {
  ContactProblem problem;
  Solution solution;
  EXPECT_EQ(CholeskySolver().solve(problem, solution), SolveStatus::solved);
}

}  // namespace
}  // namespace cornet
