#include "cornet/solvers/exact.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cornet/solvers/island_solver.h"
#include "support/random_problem.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

struct Named {
  std::string name;
  test::Scene scene;
};

std::vector<double> massLadder(int n, bool heavy_on_top) {
  std::vector<double> masses;
  for (int k = 0; k < n; ++k) masses.push_back(std::pow(10.0, 6.0 * k / (n - 1)));
  if (!heavy_on_top) std::ranges::reverse(masses);
  return masses;
}

// What a good solver needs few factorizations for.
std::vector<Named> structuredScenes() {
  std::vector<Named> scenes;
  for (const int n : {1, 2, 5, 10, 20, 50}) {
    scenes.push_back({"stack of " + std::to_string(n), test::boxStack(std::vector<double>(n, 1.0))});
  }
  scenes.push_back({"wall", test::brickWall(6, 6)});
  for (const int n : {7, 15, 31}) scenes.push_back({"arch of " + std::to_string(n), test::arch(n)});
  scenes.push_back({"mass ladder, heavy on top", test::boxStack(massLadder(10, true))});
  scenes.push_back({"mass ladder, light on top", test::boxStack(massLadder(10, false))});
  std::vector<double> anvil(10, 1.0);
  anvil.back() = 1e6;
  scenes.push_back({"anvil on a stack", test::boxStack(anvil)});
  std::ranges::reverse(anvil);
  scenes.push_back({"stack on an anvil", test::boxStack(anvil)});
  test::Scene box = test::boxOnFloor(0.5);
  box.bodies[0].velocity = Vector3d(1.0, 0.3, 0.0);
  scenes.push_back({"sliding box", box});
  box.bodies[0].omega = Vector3d(0.0, 0.0, 5.0);
  scenes.push_back({"sliding and spinning box", box});
  box.bodies[0].velocity.setZero();
  scenes.push_back({"spinning box", box});
  return scenes;
}

TEST(Exact, SolvesStructuredScenesInAtMost25Factorizations) {
  for (const SystemForm form :
       {SystemForm::automatic, SystemForm::velocity, SystemForm::delassus}) {
    ExactOptions options;
    options.system_form = form;
    ExactSolver solver(options);
    for (const auto& [name, scene] : structuredScenes()) {
      const ContactProblem problem = test::assemble(scene);
      Solution solution;
      EXPECT_EQ(solver.solve(problem, solution), SolveStatus::solved) << name;
      EXPECT_LE(certify(problem, solution.lambda).relative, 1e-8) << name;
      EXPECT_LE(solution.factorizations, 25) << name;
    }
  }
}

TEST(Exact, WarmStartThatCertifiesCostsNothing) {
  const ContactProblem problem = test::assemble(test::brickWall(4, 4));
  ExactSolver solver;
  Solution solution;
  ASSERT_EQ(solver.solve(problem, solution), SolveStatus::solved);
  const VectorXd before = solution.lambda;
  ASSERT_EQ(solver.solve(problem, solution), SolveStatus::solved);
  EXPECT_EQ(solution.factorizations, 0);
  EXPECT_EQ(solution.iterations, 0);
  EXPECT_EQ(solution.lambda, before);
}

TEST(Exact, WarmStartSavesFactorizationsAfterASmallChange) {
  test::Scene scene = test::boxStack(std::vector<double>(50, 1.0));
  for (int k = 25; k < 50; ++k) scene.bodies[k].velocity.x() = 0.5;  // the upper half slides
  ContactProblem problem = test::assemble(scene);
  ExactSolver solver;
  Solution cold;
  ASSERT_EQ(solver.solve(problem, cold), SolveStatus::solved);
  problem.v_free *= 1.0 + 1e-3;
  Solution warm, again;
  warm.lambda = cold.lambda;
  ASSERT_EQ(solver.solve(problem, warm), SolveStatus::solved);
  ASSERT_EQ(solver.solve(problem, again), SolveStatus::solved);
  EXPECT_LT(warm.factorizations, again.factorizations);
}

// Equality rows alone: the velocity of least change, found by a dense solve.
TEST(Exact, RedundantEqualitiesGiveTheProjectedVelocity) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  ContactProblem problem = test::assemble(test::boxStack({1.0, 2.0, 5.0}));
  BlockSparseMatrix J(problem.M.offsets());
  ConstraintRows rows;
  MatrixXd dense = MatrixXd::Zero(12, 18);
  for (int i = 0; i < 3; ++i) {
    rows.addEquality(4);
    J.appendRow(4);
    for (const int tree : {i == 2 ? 0 : i, i == 2 ? 1 : i + 1}) {
      const int k = J.appendBlock(tree);
      J.block(i, k) = MatrixXd::NullaryExpr(4, 6, [&] { return normal(random); });
      J.block(i, k).row(3) = J.block(i, k).row(0) + J.block(i, k).row(1);  // redundant
      dense.block(4 * i, 6 * tree, 4, 6) = J.block(i, k);
    }
  }
  problem.rows = rows;
  problem.J = J;
  problem.v_free = VectorXd::NullaryExpr(18, [&] { return normal(random); });
  problem.bias = -dense * VectorXd::NullaryExpr(18, [&] { return normal(random); });
  MatrixXd M = MatrixXd::Zero(18, 18);
  for (int i = 0; i < 3; ++i) M.block<6, 6>(6 * i, 6 * i) = problem.M.block(i);
  const MatrixXd W = dense * M.ldlt().solve(dense.transpose());
  const VectorXd q = dense * problem.v_free + problem.bias;
  const VectorXd lambda = W.completeOrthogonalDecomposition().solve(-q);
  const VectorXd expected = problem.v_free + M.ldlt().solve(dense.transpose() * lambda);
  Solution solution;
  ASSERT_EQ(ExactSolver().solve(problem, solution), SolveStatus::solved);
  EXPECT_LT((solution.v - expected).norm(), 1e-11 * expected.norm());
}

// A motor: it holds its speed until its impulse limit, then gives way.
TEST(Exact, BoxRowsHoldWithinTheirLimits) {
  ContactProblem problem;
  const std::vector<int> sizes = {1};
  problem.M = BlockDiagonalMatrix(sizes);
  problem.M.block(0)(0, 0) = 2.0;
  problem.J = BlockSparseMatrix(problem.M.offsets());
  for (const double limit : {0.5, 1.0}) {
    const double lower = -limit;
    problem.rows.addBox({&lower, 1}, {&limit, 1});
    problem.J.appendRow(1);
    problem.J.block(problem.J.rowBlockCount() - 1, problem.J.appendBlock(0))(0, 0) = 1.0;
  }
  problem.bias = VectorXd::Zero(2);
  for (const double speed : {0.4, 0.75, 2.0, -2.0}) {
    problem.v_free = VectorXd::Constant(1, speed);
    Solution solution;
    ASSERT_EQ(ExactSolver().solve(problem, solution), SolveStatus::solved) << speed;
    const double left = std::max(0.0, std::abs(speed) - 0.75);  // 1.5 N s stop 2 kg at 0.75 m/s
    EXPECT_NEAR(solution.v[0], std::copysign(left, speed), 1e-12) << speed;
  }
}

TEST(Exact, InfiniteFrictionSticksWhileClosedAndLetsGoWhenOpen) {
  test::Scene scene = test::boxOnFloor(kInfinity);
  scene.bodies[0].velocity = Vector3d(3.0, 1.0, 0.0);
  scene.contacts[0].gap = scene.contacts[1].gap = 1.0;  // two corners stand over an abyss
  Solution solution;
  const ContactProblem problem = test::assemble(scene);
  ASSERT_EQ(ExactSolver().solve(problem, solution), SolveStatus::solved);
  for (int i = 0; i < 4; ++i) {
    const Vector3d u = solution.u.segment<3>(3 * i);
    const Vector3d lambda = solution.lambda.segment<3>(3 * i);
    const bool sticks = u.norm() < 1e-8 && lambda[0] >= 0.0;
    const bool open = lambda.norm() == 0.0 && u[0] >= -1e-8;
    EXPECT_TRUE(sticks || open) << i;
  }
}

TEST(Exact, ZeroFrictionEqualsTheUnilateralProblem) {
  const ContactProblem smooth = test::assemble(test::spherePile(20, 3, 0.0));
  ContactProblem unilateral = smooth;
  unilateral.rows.clear();
  unilateral.J = BlockSparseMatrix(smooth.M.offsets());
  unilateral.bias.resize(smooth.rows.blockCount());
  for (int i = 0; i < smooth.rows.blockCount(); ++i) {
    unilateral.rows.addUnilateral(1);
    unilateral.bias[i] = smooth.bias[3 * i];
    unilateral.J.appendRow(1);
    for (int k = smooth.J.begin(i); k < smooth.J.end(i); ++k) {
      const int copy = unilateral.J.appendBlock(smooth.J.column(k));
      unilateral.J.block(i, copy) = smooth.J.block(i, k).row(0);
    }
  }
  Solution a, b;
  ASSERT_EQ(ExactSolver().solve(smooth, a), SolveStatus::solved);
  ASSERT_EQ(ExactSolver().solve(unilateral, b), SolveStatus::solved);
  EXPECT_LT((a.v - b.v).norm(), 1e-7 * (1.0 + b.v.norm()));
}

// The convex model has one velocity, whatever the form; it is not Coulomb's law.
TEST(Exact, ConvexModelIsSolvedInBothForms) {
  ExactOptions options;
  options.friction_model = FrictionModel::convex;
  test::Scene sliding = test::boxStack({1.0, 1.0, 1.0});
  for (test::Body& body : sliding.bodies) body.velocity = Vector3d(2.0, 0.5, 0.0);
  for (const test::Scene& scene : {sliding, test::spherePile(30, 5), test::brickWall(3, 3)}) {
    const ContactProblem problem = test::assemble(scene);
    Solution a, b;
    ASSERT_EQ(ExactSolver(options).solve(problem, a), SolveStatus::solved);
    ASSERT_EQ(ExactSolver(options).solve(makeDelassusProblem(problem), b), SolveStatus::solved);
    EXPECT_LE(certify(problem, a.lambda, FrictionModel::convex).relative, 1e-8);
    EXPECT_LT((a.u - b.u).norm(), 1e-5 * (1.0 + a.u.norm()));
  }
}

// A ball pressed from both sides by walls that approach it: no velocity satisfies both.
TEST(Exact, NamesAnInfeasibleProblem) {
  test::Scene scene;
  scene.bodies.push_back({});
  scene.contacts.push_back({-1, 0, {-0.5, 0, 0}, Vector3d::UnitX(), 0.5, -0.01});
  scene.contacts.push_back({-1, 0, {0.5, 0, 0}, -Vector3d::UnitX(), 0.5, -0.01});
  Solution solution;
  EXPECT_EQ(ExactSolver().solve(test::assemble(scene), solution), SolveStatus::infeasible);
  EXPECT_TRUE(solution.lambda.allFinite());
  EXPECT_TRUE(solution.v.allFinite());
}

// Belts move against each other under a stack that is squeezed between them: the tangential bias
// lies outside of the dual cone, yet letting go of the belts is a solution.
TEST(Exact, DoesNotTakeABeltForAnInfeasibility) {
  std::mt19937_64 random(31);
  std::uniform_real_distribution<double> unit;
  for (int k = 0; k < 300; ++k) {
    const double mass = std::pow(10.0, 3.0 * unit(random) - 1.0);
    test::Scene scene = test::boxStack({1.0, mass}, 0.1 + 1.1 * unit(random));
    for (const double side : {-1.0, 1.0}) {
      scene.contacts.push_back(
          {-1, 1, {0.5 * side, 0, 1.5}, -side * Vector3d::UnitX(), 0.1 + 1.1 * unit(random), 0.0});
    }
    ContactProblem problem = test::assemble(scene);
    problem.bias[3 * 8 + 1] = 2.0 * unit(random);
    problem.bias[3 * 9 + 2] = -2.0 * unit(random);
    Solution solution;
    EXPECT_NE(ExactSolver().solve(problem, solution), SolveStatus::infeasible) << k;
  }
}

TEST(Exact, SolvesAnyFrictionFromNoneToInfinite) {
  for (const double mu : {0.0, 1e-20, 1e-6, 0.3, 1.0, 30.0, 1e3, 2e4, 1e5, 1e8, kInfinity}) {
    for (const std::vector<double>& masses : {std::vector{1.0, 1.0}, std::vector{1.0, 10.0}}) {
      Solution solution;
      EXPECT_EQ(ExactSolver().solve(test::assemble(test::boxStack(masses, mu)), solution),
                SolveStatus::solved)
          << mu;
    }
  }
}

// A self-stress hides nothing: two plates squeeze a body at rest, one a little more than the other.
TEST(Exact, PreloadDoesNotHideAnUnbalancedForce) {
  test::Scene scene;
  scene.bodies.push_back({});
  scene.gravity.setZero();
  scene.contacts.push_back({-1, 0, {-0.5, 0, 0}, Vector3d::UnitX(), 0.5, 0.0});
  scene.contacts.push_back({-1, 0, {0.5, 0, 0}, -Vector3d::UnitX(), 0.5, 0.0});
  const ContactProblem problem = test::assemble(scene);
  VectorXd preload = VectorXd::Zero(6);
  preload[0] = 1e10;
  preload[3] = 1e10 - 10.0;
  EXPECT_FALSE(certify(problem, preload).solved(1e-8));
  Solution solution;
  solution.lambda = preload;
  EXPECT_EQ(ExactSolver().solve(problem, solution), SolveStatus::solved);
  EXPECT_LE(solution.u.norm(), 1e-12);
}

// Painlevé: a slender rod sliding with large friction; several or no solutions in rigid dynamics,
// but at impulse level one exists and is found.
TEST(Exact, PainleveRodGetsASolution) {
  for (const double mu : {0.5, 1.5, 3.0, 10.0}) {
    for (const double degrees : {20.0, 45.0, 60.0, 75.0}) {
      const double angle = degrees * 3.14159265358979 / 180.0;
      test::Scene scene;
      const Vector3d tip(-std::cos(angle), 0.0, -std::sin(angle));
      scene.bodies.push_back({1.0, (1.0 / 3.0) * Matrix3d::Identity(), -tip, {-5.0, 0.0, 0.0}, {0, 0, 0}});
      scene.contacts.push_back({-1, 0, {0, 0, 0}, Vector3d::UnitZ(), mu, 0.0});
      Solution solution;
      EXPECT_EQ(ExactSolver().solve(test::assemble(scene), solution), SolveStatus::solved)
          << mu << " " << degrees;
    }
  }
}

TEST(Exact, NeverReturnsNumbersThatAreNotFinite) {
  ContactProblem problem = test::assemble(test::boxStack({1.0, 1e-200, 1e200}));
  Solution solution;
  ExactSolver().solve(problem, solution);
  EXPECT_TRUE(solution.lambda.allFinite());
  problem = test::assemble(test::boxOnFloor(0.5));
  problem.v_free *= 1e300;
  solution = {};
  ExactSolver().solve(problem, solution);
  EXPECT_TRUE(solution.lambda.allFinite());
}

TEST(Exact, BudgetsEndTheSolveWithTheBestSoFar) {
  const ContactProblem problem = test::assemble(test::spherePile(60, 2));
  ExactOptions options;
  options.max_factorizations = 3;
  Solution solution;
  EXPECT_EQ(ExactSolver(options).solve(problem, solution), SolveStatus::max_iterations);
  EXPECT_LE(solution.factorizations, 3);
  EXPECT_LT(solution.certificate.relative, 1.0);
  options = {};
  options.max_seconds = 0.0;
  solution = {};
  EXPECT_EQ(ExactSolver(options).solve(problem, solution), SolveStatus::max_iterations);
  std::atomic<bool> interrupt = true;
  options = {};
  options.interrupt = &interrupt;
  solution = {};
  EXPECT_EQ(ExactSolver(options).solve(problem, solution), SolveStatus::max_iterations);
}

TEST(Exact, ReportsWhatItTried) {
  Solution solution;
  test::Scene scene = test::boxStack(std::vector<double>(20, 1.0));
  scene.bodies[10].velocity.x() = 0.5;
  ASSERT_EQ(ExactSolver().solve(test::assemble(scene), solution), SolveStatus::solved);
  ASSERT_GE(solution.stages.size(), 3u);
  EXPECT_EQ(solution.stages[0].kind, SolveStage::Kind::warm_start);
  EXPECT_EQ(solution.stages[1].kind, SolveStage::Kind::sweeps);
  int factorizations = 0;
  for (const SolveStage& stage : solution.stages) factorizations += stage.factorizations;
  EXPECT_EQ(factorizations, solution.factorizations);
}

// A light box under one of 10¹⁰ kg is beyond double precision perhaps, but not infeasible.
TEST(Exact, HugeMassRatiosAreNotCalledInfeasible) {
  for (const double ratio : {1e8, 1e10, 1e12}) {
    for (const SystemForm form : {SystemForm::velocity, SystemForm::delassus}) {
      ExactOptions options;
      options.system_form = form;
      Solution solution;
      ExactSolver(options).solve(test::assemble(test::boxStack({1.0, ratio})), solution);
      EXPECT_NE(solution.status, SolveStatus::infeasible) << ratio;
    }
  }
}

// Bodies at rest: one factorization finds that everything sticks, and one or two take it to the floor.
TEST(Exact, SolvesBodiesAtRestInOneFactorization) {
  for (const int boxes : {2, 10, 50}) {
    ContactProblem problem = test::assemble(test::boxStack(std::vector<double>(boxes, 1.0)));
    for (const SystemForm form : {SystemForm::velocity, SystemForm::delassus}) {
      ExactOptions options;
      options.system_form = form;
      options.polish_blocks = 0;
      Solution solution;
      ASSERT_EQ(ExactSolver(options).solve(problem, solution), SolveStatus::solved);
      EXPECT_EQ(solution.factorizations, 1);
      EXPECT_EQ(solution.stages.back().kind, SolveStage::Kind::sticking);
      double load = 0.0;
      for (int k = 0; k < 4; ++k) load += solution.lambda[3 * k];
      EXPECT_NEAR(load, boxes * 9.81 * problem.dt, 1e-7 * boxes);
    }
  }
}

// A push far below the friction limit is held at once; above it the trial fails and costs one factorization.
TEST(Exact, StickingIsTriedAndGivenUpWhenItSlides) {
  test::Scene scene = test::boxStack({1.0, 1.0});
  scene.gravity = Vector3d(0.1 * 9.81, 0.0, -9.81);
  Solution holds, slides;
  ExactSolver solver;
  ASSERT_EQ(solver.solve(test::assemble(scene), holds), SolveStatus::solved);
  EXPECT_EQ(holds.stages[1].kind, SolveStage::Kind::sticking);
  EXPECT_EQ(holds.iterations, 0);
  EXPECT_LT(holds.v.norm(), 1e-9);
  scene.gravity.x() = 0.51 * 9.81;
  ASSERT_EQ(solver.solve(test::assemble(scene), slides), SolveStatus::solved);
  EXPECT_NEAR(slides.v[0], 0.01 * 9.81 * scene.dt, 1e-9);
}

TEST(Exact, RefusesABadWarmStartAndBadOptions) {
  Solution solution;
  solution.lambda = VectorXd::Zero(5);
  EXPECT_THROW(ExactSolver().solve(test::assemble(test::boxOnFloor(0.5)), solution),
               std::invalid_argument);
  ExactOptions options;
  options.tolerance = -1.0;
  EXPECT_THROW(ExactSolver{options}, std::invalid_argument);
  options = {};
  options.max_factorizations = -1;
  EXPECT_THROW(ExactSolver{options}, std::invalid_argument);
  EXPECT_THROW(IslandSolver({}, 0), std::invalid_argument);
}

TEST(Exact, ConvexModelRefusesInfiniteFriction) {
  ExactOptions options;
  options.friction_model = FrictionModel::convex;
  Solution solution;
  EXPECT_EQ(ExactSolver(options).solve(test::assemble(test::boxOnFloor(kInfinity)), solution),
            SolveStatus::unsupported);
}

TEST(Exact, EmptyProblemIsSolvedWithoutWork) {
  ContactProblem problem = test::assemble(test::boxOnFloor(0.5));
  problem.rows.clear();
  problem.J = BlockSparseMatrix(problem.M.offsets());
  problem.bias.resize(0);
  Solution solution;
  EXPECT_EQ(ExactSolver().solve(problem, solution), SolveStatus::solved);
  EXPECT_EQ(IslandSolver().solve(problem, solution), SolveStatus::solved);
  EXPECT_EQ(solution.v, problem.v_free);
}

TEST(Exact, SameInputSameBitsHoweverTheSolverWasUsedBefore) {
  const ContactProblem problem = test::assemble(test::spherePile(30, 9));
  Solution fresh, used;
  ExactSolver().solve(problem, fresh);
  ExactSolver solver;
  Solution other;
  solver.solve(test::assemble(test::brickWall(3, 4)), other);
  solver.solve(makeDelassusProblem(test::assemble(test::arch(9))), other = {});
  solver.solve(problem, used);
  EXPECT_EQ(fresh.lambda, used.lambda);
  EXPECT_EQ(fresh.v, used.v);
  // A Delassus problem has no velocities, whatever came before.
  const DelassusProblem reduced = makeDelassusProblem(problem);
  solver.solve(reduced, used = {});
  EXPECT_EQ(used.v.size(), 0);
}

// A box on an incline whose friction angle it misses by one part in 10⁹, to either side.
TEST(Exact, ABoxAtItsFrictionAngleHoldsOrSlidesByTheLastDigits) {
  const double slope = 0.35, margin = 1e-9;
  for (const double side : {1.0, -1.0}) {
    test::Scene scene = test::boxStack({1.0}, std::tan(slope) * (1.0 + side * margin));
    scene.gravity = 9.81 * Vector3d(std::sin(slope), 0.0, -std::cos(slope));
    const ContactProblem problem = test::assemble(scene);
    Solution solution;
    EXPECT_EQ(ExactSolver().solve(problem, solution), SolveStatus::solved);
    const double slides = side > 0.0 ? 0.0 : 9.81 * std::sin(slope) * margin * problem.dt;
    EXPECT_NEAR(solution.v[0], slides, 1e-15 + 1e-4 * slides);
  }
}

// A wheel held at sixty points of its rim beside a pile large enough for sweeps with momentum, which the wheel makes grow.
TEST(Exact, SweepsWithMomentumThatGrowGoBack) {
  test::Scene scene = test::spherePile(200, 3);
  const auto wheel = static_cast<int>(scene.bodies.size());
  scene.bodies.push_back({1.0, Matrix3d::Identity(), {50.0, 0.0, 0.0}, {0.02, 0.01, -0.1}, {0.01, -0.02, 0.005}});
  ContactProblem problem = test::assemble(scene);
  constexpr int kPoints = 60;
  for (int k = 0; k < kPoints; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kPoints;
    const Vector3d arm(std::cos(angle), std::sin(angle), -1.0);
    problem.rows.addEquality(3);
    problem.J.appendRow(3);
    auto block = problem.J.block(problem.J.rowBlockCount() - 1, problem.J.appendBlock(wheel));
    block.leftCols<3>().setIdentity();
    for (int r = 0; r < 3; ++r) block.row(r).tail<3>() = arm.cross(Vector3d::Unit(r)).transpose();
  }
  problem.bias.conservativeResizeLike(VectorXd::Zero(problem.rows.rowCount()));
  ExactOptions options;
  options.tolerance = 1e-3;
  Solution solution;
  EXPECT_EQ(ExactSolver(options).solve(problem, solution), SolveStatus::solved);
  EXPECT_TRUE(certify(problem, solution.lambda).solved(options.tolerance));
  ASSERT_GE(solution.stages.size(), 2u);
  EXPECT_EQ(solution.stages[1].kind, SolveStage::Kind::sweeps);
  EXPECT_LT(solution.stages[1].relative, 0.1);
}

}  // namespace
}  // namespace cornet
