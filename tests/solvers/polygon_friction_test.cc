#include "cornet/solvers/active_set/polygon_friction.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "cornet/solvers/exact.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

using active_set::FrictionPolygon;
using active_set::makeFrictionPolygon;

// Support function of the polygon: the largest force against a slip in this direction.
double support(const FrictionPolygon& polygon, double angle) {
  const Vector2d d(std::cos(angle), std::sin(angle));
  double sum = 0.0;
  for (const Vector2d& e : polygon.segment) sum += polygon.half_width * std::abs(e.dot(d));
  return sum;
}

// Support function of the polygon with these corners, by looking at every corner.
double supportOfCorners(const std::vector<Vector2d>& corners, double angle) {
  double best = 0.0;
  for (const Vector2d& corner : corners) {
    best = std::max(best, corner.dot(Vector2d(std::cos(angle), std::sin(angle))));
  }
  return best;
}

TEST(FrictionPolygon, SegmentsSpanThePolygonsOfTheModels) {
  const double r = 1.0 / std::numbers::sqrt2;
  const std::vector<Vector2d> pyramid = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  const std::vector<Vector2d> box = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  const std::vector<Vector2d> scaled = {{r, r}, {-r, r}, {-r, -r}, {r, -r}};
  for (int k = 0; k < 360; ++k) {
    const double angle = k * std::numbers::pi / 180.0;
    EXPECT_NEAR(support(makeFrictionPolygon(ConeApproximation::pyramid, 8), angle),
                supportOfCorners(pyramid, angle), 1e-15);
    EXPECT_NEAR(support(makeFrictionPolygon(ConeApproximation::box, 8), angle),
                supportOfCorners(box, angle), 1e-15);
    EXPECT_NEAR(support(makeFrictionPolygon(ConeApproximation::scaled_box, 8), angle),
                supportOfCorners(scaled, angle), 1e-15);
    for (const int n : {4, 6, 8, 16, 34}) {
      std::vector<Vector2d> corners;
      for (int c = 0; c < n; ++c) {
        const double at = 2.0 * std::numbers::pi * c / n;
        corners.emplace_back(std::cos(at), std::sin(at));
      }
      EXPECT_NEAR(support(makeFrictionPolygon(ConeApproximation::polygon, n), angle),
                  supportOfCorners(corners, angle), 1e-14);
    }
  }
}

TEST(FrictionPolygon, RefusesOddAndTooFewFaces) {
  ActiveSetOptions options;
  options.cone_approximation = ConeApproximation::polygon;
  for (const int faces : {-4, 0, 2, 5, 7}) {
    options.faces = faces;
    EXPECT_THROW(ActiveSet{options}, std::invalid_argument) << faces;
  }
  options.max_sweeps = 0;
  options.faces = 8;
  EXPECT_THROW(ActiveSet{options}, std::invalid_argument);
}

ActiveSet makeSolver(ConeApproximation model, int faces = 8) {
  ActiveSetOptions options;
  options.cone_approximation = model;
  options.faces = faces;
  return ActiveSet(options);
}

TEST(FrictionPolygon, WithoutAnApproximationFrictionIsRefused) {
  Solution solution;
  EXPECT_EQ(ActiveSet().solve(test::assemble(test::boxOnFloor(0.5)), solution),
            SolveStatus::unsupported);
}

// Along the first tangent axis box and pyramid are exact: the sliding cube of the closed form.
TEST(FrictionPolygon, SlidingCubeAlongAnAxisIsExactForBoxAndPyramid) {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.bodies[0].velocity = Vector3d(2.0, 0.0, 0.0);
  const double full = 0.5 * 9.81 * scene.dt;
  const ContactProblem problem = test::assemble(scene);
  const auto loss = [&](ConeApproximation model) {
    Solution solution;
    EXPECT_EQ(makeSolver(model).solve(problem, solution), SolveStatus::solved);
    EXPECT_LE(solution.certificate.relative, 1e-8);
    EXPECT_LT(std::abs(solution.v[2]), 1e-8);
    return (2.0 - solution.v[0]) / full;
  };
  EXPECT_NEAR(loss(ConeApproximation::box), 1.0, 1e-6);
  EXPECT_NEAR(loss(ConeApproximation::pyramid), 1.0, 1e-6);
  EXPECT_NEAR(loss(ConeApproximation::polygon), 1.0, 1e-6);
  EXPECT_NEAR(loss(ConeApproximation::scaled_box), 1.0 / std::numbers::sqrt2, 1e-6);
}

// Box friction on the diagonal is 41 % too strong where the exact cone is right.
TEST(FrictionPolygon, BoxIsFortyOnePercentTooStrongOnTheDiagonal) {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.bodies[0].velocity = Vector3d(1.0, 1.0, 0.0);
  const ContactProblem problem = test::assemble(scene);
  Solution box, exact;
  ASSERT_EQ(makeSolver(ConeApproximation::box).solve(problem, box), SolveStatus::solved);
  ASSERT_EQ(ExactSolver().solve(problem, exact), SolveStatus::solved);
  const auto loss = [](const Solution& solution) {
    return std::sqrt(2.0) - solution.v.head<2>().norm();
  };
  EXPECT_NEAR(loss(exact), 0.5 * 9.81 * scene.dt, 1e-10);
  EXPECT_NEAR(loss(box) / loss(exact), std::sqrt(2.0), 1e-6);
}

// With more and more corners the velocity tends to that of the exact cone, as 1/N: the force points to
// the nearest corner, up to π/N aside of where it should.
TEST(FrictionPolygon, ConvergesToTheConeWithTheNumberOfFaces) {
  test::Scene scene = test::boxStack({1.0, 0.7}, 0.4);
  scene.bodies[0].velocity = Vector3d(0.8, 0.3, 0.0);
  scene.bodies[1].velocity = Vector3d(-0.2, 0.5, 0.0);
  const ContactProblem problem = test::assemble(scene);
  Solution exact;
  ASSERT_EQ(ExactSolver().solve(problem, exact), SolveStatus::solved);
  double last = 1.0;
  for (const int faces : {8, 32, 128}) {
    Solution solution;
    ASSERT_EQ(makeSolver(ConeApproximation::polygon, faces).solve(problem, solution),
              SolveStatus::solved);
    const double error = (solution.v - exact.v).norm();
    EXPECT_LT(error, 0.5 * last);
    // Two bodies, each pushed aside by two faces of contacts at most.
    EXPECT_LT(error, 4.0 * 0.4 * 9.81 * scene.dt * std::numbers::pi / faces);
    last = error;
  }
}

// The law of the model holds contact by contact: each segment of friction opposes its own slip.
TEST(FrictionPolygon, StackWithFrictionHoldsAndItsStatusIsThatOfTheModel) {
  const ContactProblem problem = test::assemble(test::boxStack({1.0, 2.0, 3.0}, 0.5));
  for (const ConeApproximation model :
       {ConeApproximation::pyramid, ConeApproximation::box, ConeApproximation::scaled_box,
        ConeApproximation::polygon}) {
    Solution solution;
    ASSERT_EQ(makeSolver(model).solve(problem, solution), SolveStatus::solved);
    EXPECT_LT(solution.v.norm(), 1e-9);
    EXPECT_EQ(solution.certificate.blocks.size(), 12u);
  }
}

// One contact whose slip feeds its normal: the map of the bounds has the factor μ A_nt/A_nn, and above
// one the plain loop would run away. It converges or says that it did not.
TEST(FrictionPolygon, LoopOnTheBoundsConvergesOrSaysSo) {
  int solved = 0;
  for (const double mu : {0.5, 0.9, 1.1, 1.5, 3.0}) {
    for (const double sign : {-1.0, 1.0}) {
      Matrix3d A = Matrix3d::Identity();
      A(0, 1) = A(1, 0) = 0.9 * sign;
      ConstraintRows rows;
      rows.addCone(mu);
      const DelassusProblem problem = makeDelassusProblem(rows, A, Vector3d(-1.0, -5.0, 0.3));
      Solution solution;
      const SolveStatus status =
          makeSolver(ConeApproximation::box).solve(problem, solution);
      EXPECT_TRUE(solution.lambda.allFinite());
      if (status != SolveStatus::solved) continue;
      ++solved;
      const double bound = mu * solution.lambda[0];
      for (int k = 1; k < 3; ++k) {
        EXPECT_LE(std::abs(solution.lambda[k]), bound * (1.0 + 1e-7));
        if (std::abs(solution.u[k]) > 1e-6) {
          EXPECT_NEAR(solution.lambda[k], std::copysign(bound, -solution.u[k]), 1e-6);
        }
      }
      EXPECT_GE(solution.u[0], -1e-7);
    }
  }
  EXPECT_GE(solved, 8);
}

TEST(FrictionPolygon, WarmStartNeedsNoMoreThanOneSweepOfPivots) {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.bodies[0].velocity = Vector3d(2.0, 0.4, 0.0);
  const ContactProblem problem = test::assemble(scene);
  const ActiveSet solver = makeSolver(ConeApproximation::polygon);
  Solution solution;
  ASSERT_EQ(solver.solve(problem, solution), SolveStatus::solved);
  const int cold = solution.iterations;
  ASSERT_EQ(solver.solve(problem, solution), SolveStatus::solved);
  EXPECT_LT(solution.iterations, cold);
}

}  // namespace
}  // namespace cornet
