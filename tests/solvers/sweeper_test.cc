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
int countSweeps(const Problem& problem, bool conjugate) {
  Certifier certifier(problem, FrictionModel::coulomb);
  Certificate certificate;
  Sweeper<Rows> sweeper;
  sweeper.reset(problem, FrictionModel::coulomb);
  VectorXd lambda = VectorXd::Zero(problem.rows.rowCount());
  for (int count = 1; count < kMost; ++count) {
    conjugate ? sweeper.conjugateSweep({}, lambda) : sweeper.sweep({}, lambda);
    certifier.certify(lambda, certificate);
    if (certificate.solved(kTolerance)) return count;
  }
  return kMost;
}

TEST(ConjugateSweeps, AreFewerOnAWall) {
  const ContactProblem wall = test::assemble(test::brickWall(4, 4));
  const int plain = countSweeps<VelocityRows>(wall, false);
  ASSERT_LT(plain, kMost);
  EXPECT_LT(countSweeps<VelocityRows>(wall, true), 3 * plain / 4);  // 1135 and 1816
}

TEST(ConjugateSweeps, AreTheSameInDelassusForm) {
  const ContactProblem wall = test::assemble(test::brickWall(3, 3));
  const int sweeps = countSweeps<VelocityRows>(wall, true);
  ASSERT_LT(sweeps, kMost);
  EXPECT_NEAR(countSweeps<DelassusRows>(makeDelassusProblem(wall), true), sweeps, 0.1 * sweeps);
}

}  // namespace
}  // namespace cornet::gauss_seidel
