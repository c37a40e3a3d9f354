// Rows that act, met at once by the smallest impulses.
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/math/tangent_basis.h"
#include "cornet/solvers/exact/acting_rows.h"

namespace cornet::exact {
namespace {

// A point mass with rows along given directions.
struct PointMass {
  explicit PointMass(double mass) {
    problem.M = BlockDiagonalMatrix(std::vector<int>{3});
    problem.M.block(0) = mass * Matrix3d::Identity();
    problem.J = BlockSparseMatrix(problem.M.offsets());
    problem.v_free.setZero(3);
  }
  void addRows(const MatrixXd& J) {
    problem.J.appendRow(static_cast<int>(J.rows()));
    problem.J.block(problem.J.rowBlockCount() - 1, problem.J.appendBlock(0)) = J;
    problem.bias.setZero(problem.rows.rowCount());
  }
  Solution startFrom(const VectorXd& lambda) const {
    Solution solution;
    solution.lambda = lambda;
    Certifier certifier;
    certifier.reset(problem, FrictionModel::coulomb);
    certifier.certify(lambda, solution.certificate);
    return solution;
  }

  ContactProblem problem;
};

VectorXd vectorOf(std::initializer_list<double> values) {
  VectorXd result(static_cast<Eigen::Index>(values.size()));
  std::ranges::copy(values, result.begin());
  return result;
}

TEST(ActingRows, LoseImpulsesThatHoldEachOtherInBalance) {
  PointMass body(1e-6);
  body.problem.rows.addEquality(1);
  body.addRows(Vector3d::UnitX().transpose());
  body.problem.rows.addEquality(1);
  body.addRows(Vector3d::UnitX().transpose());
  body.problem.v_free << 1.0, 0.0, 0.0;
  // 1e-6 N s stop the body; a million in balance leave some 1e-5 m/s by rounding.
  Solution solution = body.startFrom(vectorOf({1e6, -1e6 - 1.0000001e-6}));
  const double before = solution.certificate.relative;
  ASSERT_GT(before, 1e-8);
  ASSERT_TRUE(ActingRows().improve(body.problem, FrictionModel::coulomb, solution));
  EXPECT_LT(solution.certificate.relative, 1e-15);
  EXPECT_NEAR(solution.lambda[0], -0.5e-6, 1e-20);
  EXPECT_NEAR(solution.lambda[1], -0.5e-6, 1e-20);
}

// Between two walls a body is stopped by the one it moves at; least impulses alone would let the other one pull.
TEST(ActingRows, DoNotPullWhereTheyMayOnlyPush) {
  PointMass body(2.0);
  body.problem.rows.addUnilateral(1);
  body.addRows(Vector3d::UnitX().transpose());
  body.problem.rows.addUnilateral(1);
  body.addRows(-Vector3d::UnitX().transpose());
  body.problem.v_free << -1.0, 0.0, 0.0;
  Solution solution = body.startFrom(vectorOf({5.0, 3.0 - 1e-6}));
  ASSERT_TRUE(ActingRows().improve(body.problem, FrictionModel::coulomb, solution));
  EXPECT_LT(solution.certificate.relative, 1e-15);
  EXPECT_GE(solution.lambda[0], 0.0);
  EXPECT_GE(solution.lambda[1], 0.0);
  EXPECT_NEAR(solution.lambda[0] - solution.lambda[1], 2.0, 1e-14);
}

// A body stuck between two walls: friction, m v, needs twice m v / (2 μ) of what holds it.
TEST(ActingRows, PushByWhatFrictionNeeds) {
  constexpr double kMu = 0.5;
  PointMass body(2.0);
  for (const double side : {1.0, -1.0}) {
    body.problem.rows.addCone(kMu);
    body.addRows(makeContactAxes({side, 0, 0}).transpose());
  }
  body.problem.v_free << 0.0, 0.0, 1.0;
  const auto axes = [](double side) -> Matrix3d { return makeContactAxes({side, 0, 0}); };
  VectorXd lambda(6);
  for (const int k : {0, 1}) {
    const double side = k == 0 ? 1.0 : -1.0;
    lambda.segment<3>(3 * k) = axes(side).transpose() * Vector3d(side * 3.0, 0.0, -1.0 + 1e-6);
  }
  Solution solution = body.startFrom(lambda);
  ASSERT_TRUE(ActingRows().improve(body.problem, FrictionModel::coulomb, solution));
  EXPECT_LT(solution.certificate.relative, 1e-15);
  EXPECT_LT(solution.certificate.cone_violation, 1e-15);
}

// Friction of what slides follows the slip, round after round: each leaves μ λ_n/(m ‖u_t‖) = 0.155 of an error.
TEST(ActingRows, FollowTheSlipOfWhatSlides) {
  constexpr double kMu = 0.3;
  PointMass body(1.0);
  body.problem.rows.addCone(kMu);
  body.addRows(makeContactAxes({0, 0, 1}).transpose());
  body.problem.v_free << 2.0, 1.0, -1.0;
  const Matrix3d axes = makeContactAxes({0, 0, 1});
  const Vector3d slip(2.0, 1.0, 0.0);
  const Vector3d exact = Vector3d::UnitZ() - kMu * slip.normalized();
  Solution solution = body.startFrom(axes.transpose() * (exact + Vector3d(1e-6, -2e-6, 0.0)));
  ASSERT_TRUE(ActingRows().improve(body.problem, FrictionModel::coulomb, solution));
  EXPECT_LT(solution.certificate.relative, 1e-8);
}

}  // namespace
}  // namespace cornet::exact
