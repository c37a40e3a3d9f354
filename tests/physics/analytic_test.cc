// Closed-form scenes of one step: m, g, dt given, impulses per step known exactly.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cornet/solvers/exact.h"
#include "cornet/solvers/gauss_seidel.h"
#include "support/gravity.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

using test::assemble;
using test::kDt;
using test::kG;
using test::Scene;

constexpr double kExact = 1e-11;

double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }

Vector3d slopeGravity(double angle) { return kG * Vector3d(std::sin(angle), 0.0, -std::cos(angle)); }

// One of the solvers with friction. The exact one with its defaults, which polish small islands to
// the rounding floor; Gauss-Seidel has to be asked for it.
SolveStatus solveBy(const std::string& solver, const ContactProblem& problem, Solution& solution,
                    FrictionModel model = FrictionModel::coulomb) {
  if (solver == "exact") {
    ExactOptions options;
    options.friction_model = model;
    return ExactSolver(options).solve(problem, solution);
  }
  GaussSeidelOptions options;
  options.tolerance = 1e-13;
  options.max_seconds = 30.0;
  options.friction_model = model;
  return GaussSeidel(options).solve(problem, solution);
}

class Analytic : public testing::TestWithParam<std::string> {
 protected:
  // The certificate is recomputed here, from the impulses alone.
  Solution solve(const Scene& scene, FrictionModel model = FrictionModel::coulomb) {
    const ContactProblem problem = assemble(scene);
    Solution solution;
    EXPECT_EQ(solveBy(GetParam(), problem, solution, model), SolveStatus::solved);
    EXPECT_LE(certify(problem, solution.lambda, model).absolute_velocity, kExact);
    return solution;
  }
};

INSTANTIATE_TEST_SUITE_P(By, Analytic, testing::Values("exact", "gauss_seidel"),
                         [](const auto& by) { return by.param; });

// A solid ball touching the floor at the origin; radius 0 is a point mass.
Scene ballOnFloor(double mass, double radius, double mu, const Vector3d& velocity,
                  const Vector3d& gravity = {0.0, 0.0, -kG}) {
  Scene scene;
  const double inertia = radius > 0.0 ? 0.4 * mass * radius * radius : 1.0;
  scene.bodies.push_back(
      {mass, inertia * Matrix3d::Identity(), {0.0, 0.0, radius}, velocity, {0.0, 0.0, 0.0}});
  scene.contacts.push_back({-1, 0, {0.0, 0.0, 0.0}, Vector3d::UnitZ(), mu, 0.0});
  scene.gravity = gravity;
  scene.dt = kDt;
  return scene;
}

double friction(const Solution& solution, int contact = 0) {
  return solution.lambda.segment<2>(3 * contact + 1).norm();
}

TEST_P(Analytic, Case1BallAtRestCarriesItsWeight) {
  const Solution s = solve(ballOnFloor(1.0, 0.5, 0.5, {0, 0, 0}));
  EXPECT_NEAR(s.lambda[0], kG * kDt, kExact);
  EXPECT_NEAR(friction(s), 0.0, kExact);
  EXPECT_LE(s.v.norm(), kExact);
}

TEST_P(Analytic, Case2PointMassSlidesOrSticks) {
  const double m = 2.0;
  const double mu = 0.3;
  const Solution slides = solve(ballOnFloor(m, 0.0, mu, {1.0, 0, 0}));
  EXPECT_NEAR(slides.lambda[0], m * kG * kDt, kExact);
  EXPECT_NEAR(friction(slides), mu * m * kG * kDt, kExact);
  EXPECT_NEAR(slides.v[0], 1.0 - mu * kG * kDt, kExact);
  EXPECT_NEAR(slides.u[0], 0.0, kExact);
  const Solution sticks = solve(ballOnFloor(m, 0.0, mu, {0.02, 0, 0}));  // below μ g dt
  EXPECT_NEAR(friction(sticks), m * 0.02, kExact);
  EXPECT_NEAR(sticks.v[0], 0.0, kExact);
}

TEST_P(Analytic, Case3ConvexModelThrowsThePointMassUpwards) {
  const double m = 2.0;
  const double mu = 0.3;
  const double v0 = 1.0;
  const Solution s = solve(ballOnFloor(m, 0.0, mu, {v0, 0, 0}), FrictionModel::convex);
  const double scale = 1.0 + mu * mu;
  EXPECT_NEAR(s.lambda[0], m * (kG * kDt + mu * v0) / scale, kExact);
  EXPECT_NEAR(s.u[0], mu * (v0 - mu * kG * kDt) / scale, kExact);
  EXPECT_NEAR(s.u.tail<2>().norm(), (v0 - mu * kG * kDt) / scale, kExact);
}

TEST_P(Analytic, Case4InclineSticksExactlyUpToTheFrictionAngle) {
  const double angle = radians(30.0);
  const Solution sticks = solve(ballOnFloor(1.0, 0.0, 0.6, {0, 0, 0}, slopeGravity(angle)));
  EXPECT_NEAR(sticks.v[0], 0.0, kExact);
  const Solution slides = solve(ballOnFloor(1.0, 0.0, 0.4, {0, 0, 0}, slopeGravity(angle)));
  EXPECT_NEAR(slides.v[0], kG * (std::sin(angle) - 0.4 * std::cos(angle)) * kDt, kExact);
  const double limit = std::tan(angle);
  EXPECT_NEAR(solve(ballOnFloor(1, 0, limit * (1 + 1e-12), {0, 0, 0}, slopeGravity(angle))).v[0], 0.0,
              kExact);
  EXPECT_GT(solve(ballOnFloor(1, 0, limit * (1 - 1e-9), {0, 0, 0}, slopeGravity(angle))).v[0], 1e-12);
}

TEST_P(Analytic, Case5SolidBallSlidesGripsAndRolls) {
  const double R = 0.5;
  const double inertia = 0.4 * R * R;
  const Solution slides = solve(ballOnFloor(1.0, R, 0.3, {2.0, 0, 0}));
  EXPECT_NEAR(slides.v[0], 2.0 - 0.3 * kG * kDt, kExact);
  EXPECT_NEAR(slides.v[4], 0.3 * kG * kDt * R / inertia, kExact);
  const Solution grips = solve(ballOnFloor(1.0, R, 0.3, {0.02, 0, 0}));
  EXPECT_NEAR(grips.v[0], 5.0 / 7.0 * 0.02, kExact);
  EXPECT_NEAR(friction(grips), 2.0 / 7.0 * 0.02, kExact);
  const double angle = radians(20.0);
  const Solution rolls = solve(ballOnFloor(1.0, R, 0.5, {0, 0, 0}, slopeGravity(angle)));
  EXPECT_NEAR(rolls.v[0], 5.0 / 7.0 * kG * std::sin(angle) * kDt, kExact);
}

TEST_P(Analytic, Case6HyperstaticCubeRests) {
  const Solution s = solve(test::boxOnFloor(0.5, 3.0));
  double total = 0.0;
  for (int i = 0; i < 4; ++i) total += s.lambda[3 * i];
  EXPECT_NEAR(total, 3.0 * kG * kDt, kExact);
  EXPECT_LE(s.v.cwiseAbs().maxCoeff(), kExact);
}

TEST_P(Analytic, Case7SlidingCubeShiftsItsLoadForwardAndDoesNotTurn) {
  const double mu = 0.5;
  Scene scene = test::boxOnFloor(mu);
  scene.bodies[0].velocity = Vector3d(2.0, 0.0, 0.0);
  const Solution s = solve(scene);
  const double rear = s.lambda[0] + s.lambda[3];   // x = -0.5
  const double front = s.lambda[6] + s.lambda[9];  // x = +0.5
  EXPECT_NEAR(front - rear, mu * kG * kDt, kExact);
  EXPECT_NEAR(s.v[0], 2.0 - mu * kG * kDt, kExact);
  EXPECT_NEAR(s.v[2], 0.0, kExact);
  EXPECT_LE(s.v.tail<3>().cwiseAbs().maxCoeff(), kExact);
}

TEST_P(Analytic, Case8SpinningCubeSlowsDownEvenly) {
  const double mu = 0.5;
  Scene scene = test::boxOnFloor(mu);
  scene.bodies[0].omega = Vector3d(0.0, 0.0, 3.0);
  const Solution s = solve(scene);
  EXPECT_NEAR(s.v[5], 3.0 - mu * kG * kDt * std::sqrt(0.5) / (1.0 / 6.0), kExact);
  // Loading one diagonal more than the other changes neither force nor torque: only the sums of
  // neighbours are determined.
  for (const int i : {0, 3}) {
    for (const int j : {1, 2}) {
      EXPECT_NEAR(s.lambda[3 * i] + s.lambda[3 * j], kG * kDt / 2.0, kExact);
    }
  }
}

// Normal impulse under each body of a stack, relative to the weight above it.
void expectWeights(const std::vector<double>& masses, const VectorXd& lambda) {
  double above = 0.0;
  for (int k = static_cast<int>(masses.size()) - 1; k >= 0; --k) {
    above += masses[k];
    double carried = 0.0;
    for (int i = 4 * k; i < 4 * k + 4; ++i) carried += lambda[3 * i];
    EXPECT_NEAR(carried / (above * kG * kDt), 1.0, kExact) << "body " << k;
  }
}

TEST_P(Analytic, Case9StackCarriesTheWeightAboveEachJoint) {
  const std::vector<double> masses(10, 1.0);
  expectWeights(masses, solve(test::boxStack(masses)).lambda);
}

// Masses 1 .. 1e6 from a cold start, in both orders; sweeps cannot do it with the heaviest on top.
// The forces on the lightest body cancel from 1e6 times its weight: rounding alone leaves some
// 1e6 ε of its velocity.
TEST(AnalyticExact, Case9StackWithMassRatioOneMillionInBothOrders) {
  std::vector<double> masses;
  for (int k = 0; k < 10; ++k) masses.push_back(std::pow(10.0, 6.0 * k / 9.0));
  for (const bool heavy_on_top : {true, false}) {
    if (!heavy_on_top) std::ranges::reverse(masses);
    const ContactProblem problem = assemble(test::boxStack(masses));
    Solution solution;
    ASSERT_EQ(solveBy("exact", problem, solution), SolveStatus::solved);
    EXPECT_LE(solution.factorizations, 25);
    EXPECT_LE(certify(problem, solution.lambda).relative, 1e-8);
    EXPECT_LE(certify(makeDelassusProblem(problem), solution.lambda).relative, 1e-8);
    expectWeights(masses, solution.lambda);
  }
}

TEST_P(Analytic, Case10BlockBetweenWallsFallsFromZeroAndStaysWedgedWhenSqueezed) {
  Scene scene;
  scene.bodies.push_back({1.0, test::boxInertia(1.0, Vector3d::Constant(0.5)), {0, 0, 0}, {0, 0, 0},
                          {0, 0, 0}});
  for (const double side : {-1.0, 1.0}) {
    for (const double y : {-0.5, 0.5}) {
      for (const double z : {-0.5, 0.5}) {
        scene.contacts.push_back({-1, 0, {0.5 * side, y, z}, {-side, 0.0, 0.0}, 0.5, 0.0});
      }
    }
  }
  const Solution falls = solve(scene);
  EXPECT_NEAR(falls.v[2], -kG * kDt, kExact);
  EXPECT_LE(falls.lambda.norm(), kExact);

  // Squeezed: each side carries half the weight by friction; exact as well.
  const ContactProblem problem = assemble(scene);
  VectorXd wedged(24);
  for (int i = 0; i < 8; ++i) {
    Eigen::Matrix<double, 3, 6> block = problem.J.block(i, problem.J.begin(i));
    const Vector3d up = block.leftCols<3>() * Vector3d(0.0, 0.0, kG * kDt / 8.0);
    wedged.segment<3>(3 * i) = Vector3d(2.0 * kG * kDt, up[1], up[2]);
  }
  const Certificate certificate = certify(problem, wedged);
  EXPECT_LE(certificate.relative, kExact);
}

// Three balls on the floor and one on top: static iff μ_ball ≥ √3-√2 and μ_floor ≥ (√3-√2)/4.
Scene ballPyramid(double ball_share, double floor_share) {
  constexpr double kR = 0.5;
  const double critical = std::sqrt(3.0) - std::sqrt(2.0);
  Scene scene;
  const double ring = 2.0 * kR / std::sqrt(3.0);
  std::vector<Vector3d> centres;
  for (const double degrees : {0.0, 120.0, 240.0}) {
    centres.emplace_back(ring * std::cos(radians(degrees)), ring * std::sin(radians(degrees)), kR);
  }
  centres.emplace_back(0.0, 0.0, kR + 2.0 * kR * std::sqrt(2.0 / 3.0));
  for (const Vector3d& centre : centres) {
    scene.bodies.push_back({1.0, 0.1 * Matrix3d::Identity(), centre, {0, 0, 0}, {0, 0, 0}});
  }
  for (int i = 0; i < 3; ++i) {
    scene.contacts.push_back({-1, i, centres[i] - kR * Vector3d::UnitZ(), Vector3d::UnitZ(),
                              floor_share * critical / 4.0, 0.0});
    scene.contacts.push_back({i, 3, 0.5 * (centres[3] + centres[i]),
                              (centres[3] - centres[i]).normalized(), ball_share * critical, 0.0});
  }
  return scene;
}

TEST_P(Analytic, Case11PyramidOfBallsStandsExactlyAboveTheCriticalFriction) {
  EXPECT_LE(solve(ballPyramid(1.01, 1.01)).v.cwiseAbs().maxCoeff(), kExact);
  EXPECT_GT(solve(ballPyramid(0.99, 1.01)).v.cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_GT(solve(ballPyramid(1.01, 0.99)).v.cwiseAbs().maxCoeff(), 1e-5);
}

// A cube with μ > 1 tips over its front edge instead of sliding.
TEST_P(Analytic, CubeTipsWhenFrictionExceedsItsAspectRatio) {
  Scene scene = test::boxOnFloor(1.5);
  scene.dt = 0.016;
  scene.bodies[0].velocity = Vector3d(2.0, 0.0, 0.0);
  const Solution s = solve(scene);
  EXPECT_NEAR(s.v[0], 1.05824, 1e-10);
  EXPECT_NEAR(s.v[2], 0.47088, 1e-10);
  EXPECT_NEAR(s.v[4], 0.94176, 1e-10);
}

}  // namespace
}  // namespace cornet
