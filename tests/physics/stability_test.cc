// The cases in which friction solvers are said to need special treatment. None does: no clamp, no
// threshold, no regularization is behind any of these.
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "cornet/math/tangent_basis.h"
#include "cornet/solvers/active_set.h"
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

class StabilityCase : public testing::TestWithParam<std::string> {
 protected:
  Solution solve(const ContactProblem& problem, double tolerance = 1e-10) const {
    Solution solution;
    if (GetParam() == "exact") {
      ExactOptions options;
      options.tolerance = tolerance;
      EXPECT_EQ(ExactSolver(options).solve(problem, solution), SolveStatus::solved);
    } else {
      GaussSeidelOptions options;
      options.tolerance = tolerance;
      EXPECT_EQ(GaussSeidel(options).solve(problem, solution), SolveStatus::solved);
    }
    return solution;
  }
  Solution solve(const Scene& scene, double tolerance = 1e-10) const {
    return solve(assemble(scene), tolerance);
  }
};

INSTANTIATE_TEST_SUITE_P(By, StabilityCase, testing::Values("exact", "gauss_seidel"),
                         [](const auto& by) { return by.param; });

// A point mass on the floor, which may be a slope: gravity is turned, the floor stays level.
Scene pointMass(double mu, const Vector3d& velocity, double slope = 0.0, double mass = 1.0) {
  Scene scene;
  scene.bodies.push_back({mass, Matrix3d::Identity(), Vector3d::Zero(), velocity});
  scene.contacts.push_back({-1, 0, Vector3d::Zero(), Vector3d::UnitZ(), mu, 0.0});
  scene.gravity = kG * Vector3d(std::sin(slope), 0.0, -std::cos(slope));
  scene.dt = kDt;
  return scene;
}

// Case 1: zero normal force with tangential velocity.
TEST_P(StabilityCase, ZeroNormalForceCarriesNoFriction) {
  const Solution rising = solve(pointMass(0.8, {3.0, -2.0, 1.0}));
  EXPECT_EQ(rising.lambda, VectorXd(VectorXd::Zero(3)));
  EXPECT_NEAR(rising.v[0], 3.0, 0.0);
  const Solution leaving = solve(pointMass(0.8, {3.0, -2.0, kG * kDt}));  // u_n = 0 exactly
  EXPECT_LT(leaving.lambda.norm(), 1e-15);
}

// Case 2: sliding reversal under a push that turns round every half period.
TEST_P(StabilityCase, FrictionFollowsTheSlidingThroughReversals) {
  const double mu = 0.3;
  Vector3d velocity(0.5, 0.0, 0.0);
  bool moved_left = false, moved_right = false;
  for (int k = 0; k < 400; ++k) {
    Scene scene = pointMass(mu, velocity);
    scene.gravity.x() = 6.0 * std::cos(2.0 * std::numbers::pi * k / 100.0);
    const Solution solution = solve(scene);
    const double pushed = velocity.x() + kDt * scene.gravity.x();
    const double limit = mu * kG * kDt;
    const double expected = std::copysign(std::max(0.0, std::abs(pushed) - limit), pushed);
    ASSERT_NEAR(solution.v[0], expected, 1e-13) << "step " << k;
    moved_left |= solution.v[0] < -0.1;
    moved_right |= solution.v[0] > 0.1;
    velocity = solution.v.head<3>();
  }
  EXPECT_TRUE(moved_left && moved_right);
}

// Case 3: two contacts of one body with nearly the same normal and place.
TEST_P(StabilityCase, NearlyParallelContactsActAsOne) {
  const Solution one = solve(pointMass(0.5, {2.0, 0.0, 0.0}));
  for (const double turn : {0.0, 1e-12, 1e-9, 1e-6}) {
    Scene scene = pointMass(0.5, {2.0, 0.0, 0.0});
    scene.contacts.push_back(scene.contacts.front());
    scene.contacts.back().normal = Vector3d(0.0, std::sin(turn), std::cos(turn));
    scene.contacts.back().point.y() = turn;
    const Solution two = solve(scene);
    EXPECT_LT((two.v - one.v).norm(), 1e-9 + 2.0 * turn) << "turn " << turn;
  }
}

// Case 4: at rest on a slope; and a hair above the friction angle it starts at once.
TEST_P(StabilityCase, SticksAtRestWithoutChatterAndStartsWithoutThreshold) {
  const double mu = 0.5;
  Vector3d velocity = Vector3d::Zero();
  for (int k = 0; k < 1000; ++k) {
    const Solution solution = solve(pointMass(mu, velocity, 0.999 * std::atan(mu)), 1e-12);
    velocity = solution.v.head<3>();
    ASSERT_LT(velocity.norm(), 1e-15);
    ASSERT_LT(solution.lambda.tail<2>().norm(), mu * solution.lambda[0]);  // inside the cone
  }
  const double slope = std::atan(mu) + 1e-6;
  velocity.setZero();
  for (int k = 1; k <= 10; ++k) {
    velocity = solve(pointMass(mu, velocity, slope), 1e-12).v.head<3>();
    const double expected = k * kDt * kG * (std::sin(slope) - mu * std::cos(slope));  // 1e-7 m/s
    ASSERT_NEAR(velocity.x(), expected, 1e-14);
  }
}

// Special case: μ = 0 is the unilateral problem.
TEST_P(StabilityCase, NoFrictionIsTheComplementarityProblem) {
  Scene scene = test::boxStack({1.0, 2.0, 0.5}, 0.0);
  scene.bodies[1].velocity = Vector3d(1.0, 0.5, 0.0);
  const ContactProblem problem = assemble(scene);
  const Solution solution = solve(problem, 1e-12);
  Solution pivoted;
  ASSERT_EQ(ActiveSet().solve(problem, pivoted), SolveStatus::solved);
  EXPECT_LT((solution.v - pivoted.v).norm(), 1e-11);
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    EXPECT_EQ(solution.lambda.segment<2>(3 * i + 1), Eigen::Vector2d(0.0, 0.0));
  }
}

// Special case: μ to infinity sticks while closed and carries nothing when open.
TEST_P(StabilityCase, HugeFrictionSticksWhileClosedAndLetsGoWhenOpen) {
  for (const double mu : {1e2, 1e4, 1e8, std::numeric_limits<double>::infinity()}) {
    const Solution closed = solve(pointMass(mu, {4.0, 3.0, 0.0}));
    EXPECT_LT(closed.v.head<3>().norm(), 1e-12) << "mu " << mu;
    EXPECT_NEAR(closed.lambda.tail<2>().norm(), 5.0, 1e-11);
    const Solution open = solve(pointMass(mu, {4.0, 3.0, 1.0}));
    EXPECT_EQ(open.lambda, VectorXd(VectorXd::Zero(3)));
  }
}

// Special case: grazing contact, hardly any tangential velocity, or hardly any normal one.
TEST_P(StabilityCase, GrazingContactDividesByNothing) {
  for (const double speed : {0.0, 1e-300, 1e-160, 1e-20, 1e-9}) {
    const Solution solution = solve(pointMass(0.5, {speed, 0.0, -1.0}));
    EXPECT_TRUE(solution.lambda.allFinite());
    EXPECT_NEAR(solution.lambda[0], 1.0 + kG * kDt, 1e-14);
    EXPECT_LT(solution.v.head<3>().norm(), 1e-15);
  }
  // A = 0.1 I, b = (0.001, -5, 0), μ = 0.5: the answer is (0.01, -0.005, 0).
  ConstraintRows rows;
  rows.addCone(0.5);
  const DelassusProblem grazing = makeDelassusProblem(rows, 0.1 * Matrix3d::Identity(),
                                                      -Vector3d(0.001, -5.0, 0.0));
  Solution solution;
  ASSERT_EQ(ExactSolver().solve(grazing, solution), SolveStatus::solved);
  EXPECT_LT((solution.lambda - Vector3d(0.01, -0.005, 0.0)).norm(), 1e-15);
}

// Mass ratios: a light body between the floor and a heavy one, and the reverse, sliding.
TEST_P(StabilityCase, MassRatiosToOneMillionKeepTheLoads) {
  for (const double ratio : {1.0, 1e3, 1e6}) {
    for (const bool heavy_on_top : {false, true}) {
      if (GetParam() == "gauss_seidel" && heavy_on_top && ratio > 1.0) continue;  // crawls
      Scene scene;
      const double below = heavy_on_top ? 1.0 : ratio;
      const double above = heavy_on_top ? ratio : 1.0;
      scene.bodies = {{below, below * Matrix3d::Identity()}, {above, above * Matrix3d::Identity()}};
      scene.contacts = {{-1, 0, Vector3d::Zero(), Vector3d::UnitZ(), 0.5, 0.0},
                        {0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 0.5, 0.0}};
      scene.bodies[1].velocity = Vector3d(1e-3, 0.0, 0.0);
      const Solution solution = solve(scene, 1e-9);
      const double weight = (below + above) * kG * scene.dt;
      EXPECT_NEAR(solution.lambda[0] / weight, 1.0, 1e-8) << "ratio " << ratio;
      EXPECT_NEAR(solution.lambda[3] / (above * kG * scene.dt), 1.0, 1e-8) << "ratio " << ratio;
    }
  }
}

// Tangent basis: no basis is continuous, so the result must not depend on it. The floor's normal is
// turned across the places where a basis may jump.
TEST_P(StabilityCase, JumpsOfTheTangentBasisAreNotSeen) {
  const Vector3d directions[] = {{0.0, 0.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}};
  for (const Vector3d& direction : directions) {
    Vector3d first = Vector3d::Zero();
    for (const double nudge : {-1e-15, 0.0, 1e-15}) {
      Scene scene = pointMass(0.4, Vector3d::Zero());
      const Vector3d n = (direction.normalized() + Vector3d(nudge, 1.1 * nudge, nudge)).normalized();
      const Vector3d along = n.cross(Vector3d(0.3, -0.8, 0.5)).normalized();
      scene.contacts[0].normal = n;
      scene.gravity = -kG * n;
      scene.bodies[0].velocity = along;
      const Solution solution = solve(scene);
      const Vector3d impulse = makeContactAxes(n) * solution.lambda;
      EXPECT_LT((impulse - kG * kDt * (n - 0.4 * along)).norm(), 1e-14);
      if (nudge < 0.0) first = impulse;
      EXPECT_LT((impulse - first).norm(), 1e-14);
    }
  }
}

// Degenerate geometry: A is singular for every flat contact, and no ε is added to it.
TEST_P(StabilityCase, SingularMatrixIsNoSpecialCase) {
  Scene scene = test::boxOnFloor(0.5);
  scene.bodies[0].velocity = Vector3d(2.0, 0.0, 0.0);
  const Solution solution = solve(scene, 1e-13);
  EXPECT_NEAR(solution.v[0], 2.0 - 0.5 * kG * scene.dt, 1e-11);
  EXPECT_LT(solution.v.tail<5>().norm(), 1e-11);
}

}  // namespace
}  // namespace cornet
