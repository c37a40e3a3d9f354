#include "cornet/solvers/active_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cornet/math/growing_cholesky.h"
#include "support/random_problem.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

struct Lcp {
  MatrixXd A;
  VectorXd q, lower, upper;
};

// A = G Gᵀ with G n x rank, q such that some velocity satisfies all laws.
Lcp makeLcp(std::mt19937_64& random, bool singular) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit;
  const int n = 1 + static_cast<int>(random() % 7);
  const int rank = singular ? 1 + static_cast<int>(random() % n) : n + 1;
  Lcp lcp;
  MatrixXd G = MatrixXd::NullaryExpr(n, rank, [&] { return normal(random); });
  const double spread = unit(random) < 0.3 ? 1e3 : 1.0;  // masses to 1e6
  for (int c = 0; c < rank; ++c) G.col(c) *= std::pow(spread, unit(random) - 0.5);
  lcp.A = G * G.transpose();
  lcp.lower = VectorXd::Zero(n);
  lcp.upper = VectorXd::Constant(n, kInfinity);
  VectorXd wanted = VectorXd::NullaryExpr(n, [&] { return std::abs(normal(random)); });
  for (int i = 0; i < n; ++i) {
    const double kind = unit(random);
    if (kind < 0.2) {
      lcp.lower[i] = -unit(random);
      lcp.upper[i] = unit(random);
    } else if (kind < 0.35) {
      lcp.lower[i] = -kInfinity;
      wanted[i] = 0.0;
    }
  }
  lcp.q = wanted + G * VectorXd::NullaryExpr(rank, [&] { return normal(random); });
  return lcp;
}

DelassusProblem toProblem(const Lcp& lcp) {
  DelassusProblem problem;
  const int n = static_cast<int>(lcp.q.size());
  for (int i = 0; i < n; ++i) problem.rows.addBox({&lcp.lower[i], 1}, {&lcp.upper[i], 1});
  problem.W = BlockSparseMatrix(problem.rows.offsets());
  for (int i = 0; i < n; ++i) {
    problem.W.appendRow(1);
    for (int j = 0; j < n; ++j) problem.W.block(i, problem.W.appendBlock(j))(0, 0) = lcp.A(i, j);
  }
  problem.q = lcp.q;
  problem.bias = VectorXd::Zero(n);
  return problem;
}

// The velocity of the solution, by trying every combination of lower, free, upper.
std::optional<VectorXd> enumerate(const Lcp& lcp) {
  const int n = static_cast<int>(lcp.q.size());
  const double tiny = 1e-9 * (1.0 + lcp.q.norm());
  std::vector<int> state(n, 0);
  while (true) {
    std::vector<int> free;
    VectorXd lambda = VectorXd::Zero(n);
    bool possible = true;
    for (int i = 0; i < n; ++i) {
      if (state[i] == 1) free.push_back(i);
      if (state[i] != 1) lambda[i] = state[i] == 0 ? lcp.lower[i] : lcp.upper[i];
      possible &= std::isfinite(lambda[i]);
    }
    if (possible) {
      const VectorXd rest = lcp.A * lambda + lcp.q;
      if (!free.empty()) {
        const MatrixXd A_ff = lcp.A(free, free);
        const VectorXd x = A_ff.completeOrthogonalDecomposition().solve(-rest(free));
        for (std::size_t k = 0; k < free.size(); ++k) lambda[free[k]] = x[k];
      }
      const VectorXd u = lcp.A * lambda + lcp.q;
      bool lawful = true;
      for (int i = 0; i < n; ++i) {
        const double slack = tiny * (1.0 + std::abs(lambda[i]));
        lawful &= lambda[i] >= lcp.lower[i] - slack && lambda[i] <= lcp.upper[i] + slack;
        lawful &= state[i] == 1 ? std::abs(u[i]) <= tiny : state[i] == 0 ? u[i] >= -tiny : u[i] <= tiny;
      }
      if (lawful) return u;
    }
    int digit = 0;
    while (digit < n && ++state[digit] == 3) state[digit++] = 0;
    if (digit == n) return std::nullopt;
  }
}

TEST(ActiveSet, AgreesWithEnumerationOnRandomProblemsHalfOfThemSingular) {
  std::mt19937_64 random(77);
  int compared = 0;
  for (int k = 0; k < 1000; ++k) {
    const Lcp lcp = makeLcp(random, k % 2 == 0);
    const DelassusProblem problem = toProblem(lcp);
    Solution solution;
    ASSERT_EQ(ActiveSet().solve(problem, solution), SolveStatus::solved) << k;
    EXPECT_LE(solution.certificate.relative, 1e-10) << k;
    const std::optional<VectorXd> u = enumerate(lcp);
    if (!u) continue;  // basic solutions of a singular A need not be the minimum-norm ones tried
    ++compared;
    EXPECT_LT((solution.u - *u).lpNorm<Eigen::Infinity>(), 1e-7 * (1.0 + lcp.q.norm())) << k;
  }
  EXPECT_GT(compared, 700);
}

TEST(ActiveSet, ReturnsZeroImpulseForSeparatingContacts) {
  ContactProblem problem = test::assemble(test::spherePile(120, 4, 0.0));
  for (int i = 0; i < problem.rows.blockCount(); ++i) problem.bias[3 * i] = 100.0;
  ASSERT_GT(problem.rows.blockCount(), 500);
  Solution solution;
  ASSERT_EQ(ActiveSet().solve(problem, solution), SolveStatus::solved);
  EXPECT_EQ(solution.lambda.norm(), 0.0);
  EXPECT_EQ(solution.iterations, 0);
}

TEST(ActiveSet, CarriesAStackWithMassRatioOneMillionInBothOrders) {
  for (const bool heavy_on_top : {true, false}) {
    std::vector<double> masses;
    for (int k = 0; k < 10; ++k) masses.push_back(std::pow(10.0, 6.0 * k / 9.0));
    if (!heavy_on_top) std::ranges::reverse(masses);
    const ContactProblem problem = test::assemble(test::boxStack(masses, 0.0));
    Solution solution;
    ASSERT_EQ(ActiveSet().solve(problem, solution), SolveStatus::solved);
    double above = 0.0;
    for (int k = 9; k >= 0; --k) {
      above += masses[k];
      double carried = 0.0;
      for (int i = 4 * k; i < 4 * k + 4; ++i) carried += solution.lambda[3 * i];
      EXPECT_NEAR(carried / (above * 9.81 * 0.01), 1.0, 1e-9) << k;
    }
  }
}

TEST(ActiveSet, WarmStartThatIsRightTakesNoStep) {
  const ContactProblem problem = test::assemble(test::spherePile(30, 2, 0.0));
  Solution solution;
  ASSERT_EQ(ActiveSet().solve(problem, solution), SolveStatus::solved);
  EXPECT_GT(solution.iterations, 0);
  const VectorXd before = solution.v;
  ASSERT_EQ(ActiveSet().solve(problem, solution), SolveStatus::solved);
  EXPECT_EQ(solution.iterations, 0);
  EXPECT_LT((solution.v - before).norm(), 1e-12);
}

TEST(ActiveSet, NamesAnInfeasibleProblem) {
  test::Scene scene;
  scene.bodies.push_back({});
  scene.contacts.push_back({-1, 0, {-0.5, 0, 0}, Vector3d::UnitX(), 0.0, -0.01});
  scene.contacts.push_back({-1, 0, {0.5, 0, 0}, -Vector3d::UnitX(), 0.0, -0.01});
  Solution solution;
  EXPECT_EQ(ActiveSet().solve(test::assemble(scene), solution), SolveStatus::infeasible);
  EXPECT_TRUE(solution.lambda.allFinite());
}

TEST(ActiveSet, RefusesFrictionAndBadOptions) {
  Solution solution;
  EXPECT_EQ(ActiveSet().solve(test::assemble(test::boxOnFloor(0.5)), solution),
            SolveStatus::unsupported);
  ActiveSetOptions options;
  options.max_iterations = -1;
  EXPECT_THROW(ActiveSet{options}, std::invalid_argument);
}

TEST(GrowingCholesky, FollowsRowsThatComeAndGo) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const MatrixXd G = MatrixXd::NullaryExpr(12, 14, [&] { return normal(random); });
  const MatrixXd A = G * G.transpose();
  GrowingCholesky factor;
  factor.reset(12);
  std::vector<int> rows;
  for (int step = 0; step < 200; ++step) {
    const int j = static_cast<int>(random() % 12);
    const auto place = std::ranges::find(rows, j);
    VectorXd w;
    if (place != rows.end()) {
      factor.remove(static_cast<int>(place - rows.begin()));
      rows.erase(place);
    } else {
      const VectorXd column = A(rows, j);
      factor.solveLower(column, w);
      factor.append(w, A(j, j) - w.squaredNorm());
      rows.push_back(j);
    }
    const VectorXd b = VectorXd::NullaryExpr(rows.size(), [&] { return normal(random); });
    factor.solveLower(b, w);
    factor.solveUpper(w);
    EXPECT_LT((A(rows, rows) * w - b).norm(), 1e-9 * (1.0 + b.norm())) << step;
  }
}

}  // namespace
}  // namespace cornet
