// Kicks that ask for what no impulses give: bodies that are wedged, and surroundings that press on them.
#include <gtest/gtest.h>

#include "cornet/math/tangent_basis.h"
#include "cornet/sim/kick_solver.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::part;
using test::SteppedWorld;

constexpr double kMu = 1.4;  // beyond 1 friction holds a ball in a right corner by itself

// A ball that touches a wall falls on the floor: rebound would tear it off the wall that friction holds it to.
TEST(Jam, ABallWedgedInACornerDoesNotReboundAndItsStepIsRight) {
  SteppedWorld scene;
  scene.world.materials.add({"default", kMu, 0.5});
  scene.world.addEnvironment({"floor", {part(HalfSpace{})}});
  scene.world.addEnvironment({"wall", {part(Box({0.1, 1.0, 1.0}))}, Vector3d(-0.1, 0.0, 0.0)});
  scene.addSphere(0.1, {0.1, 0.0, 0.1 + 1e-4}, {0, 0, -1.0}, {0, -3.0, 0});  // its spin presses it to the wall
  bool was_capped = false;
  for (int k = 0; k < 50; ++k) {
    const StepReport report = scene.step(2e-3);
    EXPECT_TRUE(report.isAccurate()) << k;
    was_capped |= report.corrections.capped > 0;
  }
  EXPECT_TRUE(was_capped);
  EXPECT_LT(scene.body().velocity.norm(), 2.0);
}

// One ball of 1 kg, 1 m, in the corner of floor and wall; `wanted` is how fast the floor is to be left.
ContactProblem makeCorner(double mu, double wanted) {
  const int dofs[] = {6};
  ContactProblem problem;
  problem.M = BlockDiagonalMatrix(dofs);
  problem.M.block(0) = MatrixXd::Identity(6, 6);
  problem.M.block(0).bottomRightCorner<3, 3>() *= 0.4;
  problem.J = BlockSparseMatrix(problem.M.offsets());
  problem.bias = VectorXd::Zero(6);
  problem.bias[0] = -wanted;
  for (const Vector3d& n : {Vector3d(0, 0, 1), Vector3d(1, 0, 0)}) {
    const int row = problem.rows.blockCount();
    problem.rows.addCone(mu);
    problem.J.appendRow(3);
    const Matrix3d axes = makeContactAxes(n);
    const Vector3d arm = -n;
    MatrixXd J(3, 6);
    for (int k = 0; k < 3; ++k) J.row(k) << axes.col(k).transpose(), arm.cross(axes.col(k)).transpose();
    problem.J.block(row, problem.J.appendBlock(0)) = J;
  }
  problem.v_free = (VectorXd(6) << -0.1, 0, -1, 0, 0, 0).finished();
  return problem;
}

TEST(Jam, IsToldFromProblemsThatHaveASolution) {
  KickSolver solver{SimulatorOptions()};
  EXPECT_FALSE(solver.isJammed(makeCorner(kMu, 0.0)));  // nothing is asked for: v = 0 will do
  EXPECT_FALSE(solver.isJammed(makeCorner(0.3, 0.5)));  // friction gives way
  EXPECT_TRUE(solver.isJammed(makeCorner(kMu, 0.5)));
  Solution solution;
  EXPECT_EQ(solver.solve(makeCorner(kMu, 0.0), solution), SolveStatus::solved);
  solution = {};
  EXPECT_EQ(solver.solve(makeCorner(0.3, 0.5), solution), SolveStatus::solved);
}

}  // namespace
}  // namespace cornet
