#include "cornet/solvers/gauss_seidel.h"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/rigid_scene.h"

namespace cornet {
namespace {

GaussSeidelOptions tight() {
  GaussSeidelOptions options;
  options.tolerance = 1e-12;
  options.max_seconds = 20.0;
  return options;
}

// A floating chain of three cubes: a weld of six redundant rows, a ball joint, a motor, a limit,
// frictional, frictionless and infinitely rough contacts with the floor.
ContactProblem everyLaw(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  ContactProblem problem = test::assemble(test::boxStack({1.0, 2.0, 0.5}));
  BlockSparseMatrix J(problem.M.offsets());
  ConstraintRows rows;
  const auto addRows = [&](int count, int first, int second) {
    J.appendRow(count);
    const int i = J.rowBlockCount() - 1;
    for (const int tree : {first, second}) {
      if (tree < 0) continue;
      const int k = J.appendBlock(tree);
      J.block(i, k) = MatrixXd::NullaryExpr(count, 6, [&] { return normal(random); });
    }
  };
  const std::vector<double> lower = {-0.02};
  const std::vector<double> upper = {0.02};
  rows.addCone(0.5);
  addRows(3, 0, -1);
  rows.addCone(0.0);
  addRows(3, 0, 1);
  rows.addCone(kInfinity);
  addRows(3, 1, -1);
  rows.addEquality(3);
  addRows(3, 1, 2);
  J.block(3, J.begin(3)).row(2) = J.block(3, J.begin(3)).row(1);          // a redundant row
  J.block(3, J.begin(3) + 1).row(2) = J.block(3, J.begin(3) + 1).row(1);
  rows.addUnilateral(2);
  addRows(2, 0, 2);
  rows.addBox(lower, upper);
  addRows(1, 2, -1);
  problem.rows = rows;
  problem.J = J;
  problem.bias = VectorXd::Zero(rows.rowCount());
  // Feasible by construction: with v = 0 every gap opens at its bias, equalities hold.
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (rows.kind[i] == LawKind::cone) problem.bias[rows.offset(i)] = 0.02;
    if (rows.kind[i] == LawKind::unilateral) problem.bias.segment(rows.offset(i), 2).setConstant(0.02);
  }
  problem.v_free = VectorXd::NullaryExpr(18, [&] { return 0.3 * normal(random); });
  problem.validate();
  return problem;
}

TEST(GaussSeidel, SolvesEveryLawTogether) {
  int solved = 0;
  constexpr int kProblems = 60;
  for (unsigned seed = 0; seed < kProblems; ++seed) {
    const ContactProblem problem = everyLaw(seed);
    Solution solution;
    const SolveStatus status = GaussSeidel(tight()).solve(problem, solution);
    solved += status == SolveStatus::solved;
    // Whatever the status says, the independent certificate agrees.
    EXPECT_EQ(certify(problem, solution.lambda).solved(1e-12), status == SolveStatus::solved) << seed;
  }
  // An infinitely rough contact may have no solution next to the others; most have.
  EXPECT_GE(solved, kProblems * 3 / 4);
}

TEST(GaussSeidel, FindsTheEqualitySolutionOfADirectSolve) {
  ContactProblem problem = test::assemble(test::boxStack({1.0, 2.0}));
  ConstraintRows rows;
  for (int i = 0; i < 8; ++i) rows.addEquality(3);  // all corners glued: redundant
  problem.rows = rows;
  Solution solution;
  ASSERT_EQ(GaussSeidel(tight()).solve(problem, solution), SolveStatus::solved);
  EXPECT_LE(solution.v.cwiseAbs().maxCoeff(), 1e-11);  // the floor does not move
  VectorXd momentum;
  problem.J.multiplyTransposed(solution.lambda, momentum);
  EXPECT_NEAR(momentum[2], 9.81 * 0.01 * 1.0, 1e-11);
  EXPECT_NEAR(momentum[8], 9.81 * 0.01 * 2.0, 1e-11);
}

TEST(GaussSeidel, BoxRowIsAMotorWithLimitedForce) {
  ContactProblem problem;
  const std::vector<int> sizes = {1};
  problem.M = BlockDiagonalMatrix(sizes);
  problem.M.block(0)(0, 0) = 2.0;
  problem.v_free = VectorXd::Zero(1);
  const std::vector<double> lower = {-1.0};
  const std::vector<double> upper = {1.0};
  problem.rows.addBox(lower, upper);
  problem.J = BlockSparseMatrix(problem.M.offsets());
  problem.J.appendRow(1);
  problem.J.block(0, problem.J.appendBlock(0))(0, 0) = 1.0;
  Solution weak, strong;
  problem.bias = VectorXd::Constant(1, -3.0);  // wants 3 m/s: needs 6 N s
  ASSERT_EQ(GaussSeidel(tight()).solve(problem, weak), SolveStatus::solved);
  EXPECT_DOUBLE_EQ(weak.v[0], 0.5);
  problem.bias[0] = -0.25;
  ASSERT_EQ(GaussSeidel(tight()).solve(problem, strong), SolveStatus::solved);
  EXPECT_DOUBLE_EQ(strong.v[0], 0.25);
}

TEST(GaussSeidel, ComplianceGivesWayByItsShare) {
  ContactProblem problem = test::assemble(test::boxOnFloor(0.5, 2.0));
  for (double& R : problem.rows.compliance) R = 0.5;
  Solution solution;
  ASSERT_EQ(GaussSeidel(tight()).solve(problem, solution), SolveStatus::solved);
  // Four springs share the load: λ_n = -v_n/R each, m (v_n + g dt) = Σ λ_n.
  const double v_n = -9.81 * 0.01 * 2.0 / (2.0 + 4.0 / 0.5);
  EXPECT_NEAR(solution.v[2], v_n, 1e-12);
  EXPECT_NEAR(solution.lambda[0], -v_n / 0.5, 1e-12);
}

TEST(GaussSeidel, ZeroFrictionEqualsTheUnilateralProblem) {
  test::Scene scene = test::boxStack({1.0, 1.0}, 0.0);
  scene.bodies[1].velocity = Vector3d(1.0, 0.5, -0.2);
  const ContactProblem cones = test::assemble(scene);
  ContactProblem normals = cones;
  normals.rows = ConstraintRows();
  normals.J = BlockSparseMatrix(cones.M.offsets());
  normals.bias = VectorXd::Zero(8);
  for (int i = 0; i < 8; ++i) {
    normals.rows.addUnilateral(1);
    normals.J.appendRow(1);
    for (int k = cones.J.begin(i); k < cones.J.end(i); ++k) {
      const int own = normals.J.appendBlock(cones.J.column(k));
      normals.J.block(i, own) = cones.J.block(i, k).row(0);
    }
  }
  Solution a, b;
  ASSERT_EQ(GaussSeidel(tight()).solve(cones, a), SolveStatus::solved);
  ASSERT_EQ(GaussSeidel(tight()).solve(normals, b), SolveStatus::solved);
  EXPECT_LE((a.v - b.v).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(GaussSeidel, WarmStartThatCertifiesCostsNoSweep) {
  const ContactProblem problem = test::assemble(test::boxStack({1.0, 1.0, 1.0}));
  Solution solution;
  const GaussSeidel solver(tight());
  ASSERT_EQ(solver.solve(problem, solution), SolveStatus::solved);
  EXPECT_GT(solution.iterations, 0);
  const VectorXd lambda = solution.lambda;
  ASSERT_EQ(solver.solve(problem, solution), SolveStatus::solved);
  EXPECT_EQ(solution.iterations, 0);
  EXPECT_EQ(solution.lambda, lambda);
}

TEST(GaussSeidel, SaysWhenTheBudgetRanOut) {
  const ContactProblem problem = test::assemble(test::boxStack(std::vector<double>(20, 1.0)));
  GaussSeidelOptions options;
  options.max_iterations = 7;
  Solution solution;
  EXPECT_EQ(GaussSeidel(options).solve(problem, solution), SolveStatus::max_iterations);
  EXPECT_EQ(solution.iterations, 7);
  EXPECT_GT(solution.certificate.relative, 1e-8);
  options.max_iterations = 1'000'000'000;
  options.max_seconds = 0.01;
  options.tolerance = 0.0;
  Solution timed;
  EXPECT_EQ(GaussSeidel(options).solve(problem, timed), SolveStatus::max_iterations);
  EXPECT_LT(timed.seconds, 5.0);
}

TEST(GaussSeidel, StopsAtOnceWhereNothingCanMove) {
  // A contact between two static bodies that sinks: no impulse can help.
  test::Scene scene;
  scene.contacts.push_back({-1, -1, Vector3d::Zero(), Vector3d::UnitZ(), 0.5, -0.001});
  Solution solution;
  EXPECT_EQ(GaussSeidel(tight()).solve(test::assemble(scene), solution), SolveStatus::inaccurate);
  EXPECT_LE(solution.iterations, 10);
  EXPECT_TRUE(solution.lambda.allFinite());
}

TEST(GaussSeidel, AnIslandThatFailsDoesNotSpoilTheOthers) {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.contacts.push_back({-1, -1, Vector3d::Zero(), Vector3d::UnitZ(), 0.5, -0.001});  // hopeless
  GaussSeidelOptions options = tight();
  options.max_iterations = 200;
  Solution solution;
  EXPECT_NE(GaussSeidel(options).solve(test::assemble(scene), solution), SolveStatus::solved);
  EXPECT_GT(solution.certificate.relative, 0.5);
  for (int i = 0; i < 4; ++i) EXPECT_LE(solution.certificate.blocks[i].relative, 1e-12) << i;
}

TEST(GaussSeidel, TheTimeLimitHoldsHoweverSeldomTheErrorIsLookedAt) {
  GaussSeidelOptions options;
  options.tolerance = 0.0;
  options.check_every = 1'000'000'000;
  options.max_iterations = std::numeric_limits<int>::max();
  options.max_seconds = 0.05;
  Solution solution;
  GaussSeidel(options).solve(test::assemble(test::boxStack({1.0, 1.0})), solution);
  EXPECT_LT(solution.seconds, 5.0);
}

TEST(GaussSeidel, EndsWhenItIsInterrupted) {
  const std::atomic<bool> stop = true;
  GaussSeidelOptions options;
  options.tolerance = 0.0;
  options.interrupt = &stop;
  Solution solution;
  EXPECT_EQ(GaussSeidel(options).solve(test::assemble(test::boxStack({1.0, 1.0})), solution),
            SolveStatus::max_iterations);
  EXPECT_LE(solution.iterations, 10);
}

TEST(GaussSeidel, EmptyProblemIsSolvedWithoutWork) {
  Solution solution;
  EXPECT_EQ(GaussSeidel().solve(ContactProblem{}, solution), SolveStatus::solved);
  EXPECT_EQ(GaussSeidel().solve(DelassusProblem{}, solution), SolveStatus::solved);
  EXPECT_EQ(solution.iterations, 0);
  EXPECT_EQ(solution.certificate.relative, 0.0);
}

TEST(GaussSeidel, RefusesABadWarmStartAndBadOptions) {
  const ContactProblem problem = test::assemble(test::boxOnFloor(0.5));
  Solution solution;
  solution.lambda = VectorXd::Zero(5);
  EXPECT_THROW(GaussSeidel().solve(problem, solution), std::invalid_argument);
  solution.lambda = VectorXd::Constant(12, kInfinity);
  EXPECT_THROW(GaussSeidel().solve(problem, solution), std::invalid_argument);
  GaussSeidelOptions options;
  options.tolerance = -1.0;
  EXPECT_THROW(GaussSeidel{options}, std::invalid_argument);
  options = {};
  options.check_every = 0;
  EXPECT_THROW(GaussSeidel{options}, std::invalid_argument);
}

TEST(GaussSeidel, ConvexModelRefusesInfiniteFriction) {
  GaussSeidelOptions options;
  options.friction_model = FrictionModel::convex;
  const ContactProblem problem = test::assemble(test::boxOnFloor(kInfinity));
  EXPECT_FALSE(GaussSeidel(options).supports(problem.rows));
  Solution solution;
  EXPECT_EQ(GaussSeidel(options).solve(problem, solution), SolveStatus::unsupported);
}

TEST(GaussSeidel, SameInputSameBits) {
  const ContactProblem problem = test::assemble(test::spherePile(30, 5));
  GaussSeidelOptions options;
  options.tolerance = 1e-6;
  Solution a, b;
  GaussSeidel(options).solve(problem, a);
  GaussSeidel(options).solve(problem, b);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.iterations, b.iterations);
}

TEST(GaussSeidel, RelabellingTheBodiesKeepsTheMotion) {
  test::Scene scene = test::boxStack({1.0, 2.0, 3.0});
  scene.bodies[2].velocity = Vector3d(0.4, 0.1, 0.0);
  Solution plain, renamed;
  ASSERT_EQ(GaussSeidel(tight()).solve(test::assemble(scene), plain), SolveStatus::solved);
  std::ranges::reverse(scene.bodies);
  for (test::Contact& contact : scene.contacts) {
    if (contact.a >= 0) contact.a = 2 - contact.a;
    if (contact.b >= 0) contact.b = 2 - contact.b;
  }
  ASSERT_EQ(GaussSeidel(tight()).solve(test::assemble(scene), renamed), SolveStatus::solved);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE((plain.v.segment<6>(6 * i) - renamed.v.segment<6>(12 - 6 * i)).norm(), 1e-10);
  }
}

}  // namespace
}  // namespace cornet
