#include "cornet/problem/delassus_problem.h"

#include <stdexcept>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "support/dense.h"
#include "cornet/math/islands.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

TEST(DelassusProblem, EliminationMatchesDenseAlgebra) {
  const ContactProblem problem = test::assemble(test::brickWall(2, 3));
  const DelassusProblem reduced = makeDelassusProblem(problem);
  reduced.validate();
  MatrixXd M = MatrixXd::Zero(problem.dofCount(), problem.dofCount());
  for (int i = 0; i < problem.M.blockCount(); ++i) {
    M.block(problem.M.offset(i), problem.M.offset(i), 6, 6) = problem.M.block(i);
  }
  const MatrixXd J = test::toDense(problem.J);
  const MatrixXd W = J * M.llt().solve(J.transpose());
  EXPECT_LE((test::toDense(reduced.W) - W).cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff());
  EXPECT_LE((reduced.q - (J * problem.v_free + problem.bias)).norm(), 1e-13);
}

TEST(DelassusProblem, KeepsTheRowsOfTheVelocityForm) {
  ContactProblem problem = test::assemble(test::boxOnFloor(0.5));
  problem.rows.compliance[4] = 0.25;
  problem.rows.key[2] = 99;
  problem.bias[0] = 0.125;
  const DelassusProblem reduced = makeDelassusProblem(problem);
  EXPECT_TRUE(reduced.rows == problem.rows);
  EXPECT_EQ(reduced.bias, problem.bias);
  EXPECT_EQ(reduced.dt, problem.dt);
}

TEST(DelassusProblem, BlockThatTouchesNoTreeKeepsAZeroDiagonal) {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.contacts.push_back({-1, -1, Vector3d::Zero(), Vector3d::UnitZ(), 0.5, 0.001});
  const DelassusProblem reduced = makeDelassusProblem(test::assemble(scene));
  reduced.validate();
  const int k = reduced.W.findBlock(4, 4);
  ASSERT_GE(k, 0);
  EXPECT_TRUE(reduced.W.block(4, k).isZero(0.0));
}

TEST(DelassusProblem, HasTheIslandsOfTheVelocityForm) {
  test::Scene scene = test::boxStack({1.0, 1.0, 1.0});
  scene.contacts.erase(scene.contacts.begin() + 4, scene.contacts.begin() + 8);  // top two float
  const ContactProblem problem = test::assemble(scene);
  Islands a, b;
  a.split(problem.J);
  b.split(makeDelassusProblem(problem).W);
  EXPECT_EQ(a.count(), 2);
  EXPECT_EQ(a.ofRow(), b.ofRow());
}

TEST(DelassusProblem, RefusesARowWithoutItsDiagonalBlock) {
  DelassusProblem problem;
  problem.rows.addCone(0.5);
  problem.W = BlockSparseMatrix(problem.rows.offsets());
  problem.W.appendRow(3);
  problem.q = problem.bias = VectorXd::Zero(3);
  EXPECT_THROW(problem.validate(), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
