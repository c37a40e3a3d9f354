#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cornet/problem/certificate.h"
#include "cornet/problem/delassus_problem.h"
#include "cornet/solvers/gauss_seidel_blocks.h"
#include "support/rigid_scene.h"

namespace cornet::gauss_seidel {
namespace {

constexpr double kTolerance = 1e-8;
constexpr int kMost = 20'000;

// Sweeps from zero until the impulses are certified.
template <class Rows, class Problem>
int countSweeps(const Problem& problem, bool with_momentum) {
  Certifier certifier(problem, FrictionModel::coulomb);
  Certificate certificate;
  Sweeper<Rows> sweeper;
  sweeper.reset(problem, FrictionModel::coulomb);
  VectorXd lambda = VectorXd::Zero(problem.rows.rowCount());
  for (int count = 1; count < kMost; ++count) {
    with_momentum ? sweeper.sweepWithMomentum({}, lambda) : sweeper.sweep({}, lambda);
    certifier.certify(lambda, certificate);
    if (certificate.solved(kTolerance)) return count;
  }
  return kMost;
}

TEST(SweepsWithMomentum, AreFewerOnAWall) {
  const ContactProblem wall = test::assemble(test::brickWall(4, 4));
  const int plain = countSweeps<VelocityRows>(wall, false);
  ASSERT_LT(plain, kMost);
  EXPECT_LT(countSweeps<VelocityRows>(wall, true), 3 * plain / 4) << plain;
}

TEST(SweepsWithMomentum, AreTheSameInDelassusForm) {
  const ContactProblem wall = test::assemble(test::brickWall(3, 3));
  const int sweeps = countSweeps<VelocityRows>(wall, true);
  ASSERT_LT(sweeps, kMost);
  EXPECT_NEAR(countSweeps<DelassusRows>(makeDelassusProblem(wall), true), sweeps, 0.1 * sweeps);
}

// Velocities that are recomputed again and again must not gather what momentum makes of their rounding.
TEST(SweepsWithMomentum, BearRecomputedVelocities) {
  const ContactProblem wall = test::assemble(test::brickWall(3, 3));
  Certifier certifier(wall, FrictionModel::coulomb);
  Certificate certificate;
  Sweeper<VelocityRows> sweeper;
  sweeper.reset(wall, FrictionModel::coulomb);
  VectorXd lambda = VectorXd::Zero(wall.rows.rowCount());
  for (int k = 0; k < 5000; ++k) {
    sweeper.sweepWithMomentum({}, lambda);
    certifier.calcVelocities(lambda);
    sweeper.setVelocity(certifier.v());
  }
  certifier.certify(lambda, certificate);
  EXPECT_TRUE(certificate.solved(1e-12)) << certificate.relative;
}

TEST(SweepsWithMomentum, LeaveNothingBehind) {
  const ContactProblem wall = test::assemble(test::brickWall(3, 3));
  Sweeper<VelocityRows> sweeper;
  const auto sweepFromRest = [&] {
    VectorXd lambda = VectorXd::Zero(wall.rows.rowCount());
    sweeper.setVelocity(wall.v_free);
    sweeper.restart();
    for (int k = 0; k < 3; ++k) sweeper.sweep({}, lambda);
    return lambda;
  };
  sweeper.reset(wall, FrictionModel::coulomb);
  const VectorXd before = sweepFromRest();
  VectorXd lambda = before;
  for (int k = 0; k < 3; ++k) sweeper.sweepWithMomentum({}, lambda);
  EXPECT_EQ(sweepFromRest(), before);
}

TEST(Sweeps, TellWhenImpulsesAreNotFinite) {
  const ContactProblem wall = test::assemble(test::brickWall(2, 2));
  Sweeper<VelocityRows> sweeper;
  sweeper.reset(wall, FrictionModel::coulomb);
  VectorXd lambda = VectorXd::Zero(wall.rows.rowCount());
  lambda[1] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> weight(static_cast<std::size_t>(wall.rows.blockCount()), 1.0);
  EXPECT_FALSE(std::isfinite(sweeper.sweep(weight, lambda)));
}

}  // namespace
}  // namespace cornet::gauss_seidel
