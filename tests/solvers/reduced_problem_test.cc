// Equalities taken out of a problem, against the whole of it.
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/math/tangent_basis.h"
#include "cornet/problem/certificate.h"
#include "cornet/solvers/exact.h"
#include "cornet/solvers/exact/reduced_problem.h"

namespace cornet::exact {
namespace {

// A chain of bodies along x, each a ball of its mass and of radius 0.1 m, 0.3 m apart, with ball joints in the middle between
// neighbours, every row of them twice; the last body strikes a floor with friction.
class Chain {
 public:
  explicit Chain(const std::vector<double>& masses) {
    const auto count = static_cast<int>(masses.size());
    problem.M = BlockDiagonalMatrix(std::vector<int>(masses.size(), 6));
    problem.J = BlockSparseMatrix(problem.M.offsets());
    problem.v_free.setZero(6 * count);
    for (int k = 0; k < count; ++k) {
      problem.M.block(k).setIdentity();
      problem.M.block(k) *= masses[static_cast<std::size_t>(k)];
      problem.M.block(k).bottomRightCorner<3, 3>() *= 0.4 * 0.1 * 0.1;
      problem.v_free.segment<3>(6 * k) << 0.7, 0.1 * k, -1.0;
    }
    for (int k = 0; k + 1 < count; ++k) {
      for (int twice = 0; twice < 2; ++twice) {
        problem.rows.addEquality(3);
        problem.J.appendRow(3);
        addBlock(k, -Matrix3d::Identity(), {0.15, 0, 0});
        addBlock(k + 1, Matrix3d::Identity(), {-0.15, 0, 0});
      }
    }
    problem.rows.addCone(0.5);
    problem.J.appendRow(3);
    addBlock(count - 1, makeContactAxes({0, 0, 1}).transpose(), {0, 0, -0.1});
    problem.bias.setZero(problem.rows.rowCount());
  }

  ContactProblem problem;

 private:
  // Rows `axes` times the velocity of a point.
  void addBlock(int body, const Matrix3d& axes, const Vector3d& arm) {
    const int row = problem.J.rowBlockCount() - 1;
    MatrixXd J(3, 6);
    for (int i = 0; i < 3; ++i) J.row(i) << axes.row(i), arm.cross(Vector3d(axes.row(i))).transpose();
    problem.J.block(row, problem.J.appendBlock(body)) = J;
  }
};

double calcError(const ContactProblem& problem, const VectorXd& lambda) {
  Certifier certifier;
  certifier.reset(problem, FrictionModel::coulomb);
  Certificate certificate;
  certifier.certify(lambda, certificate);
  return certificate.relative;
}

TEST(ReducedProblem, HasTheSolutionOfTheWholeProblem) {
  for (const std::vector<double>& masses : {std::vector<double>{1, 1, 1}, {1, 1e3, 1e-3, 5}, {1e6, 1, 1e-2, 1e4, 1}}) {
    Chain chain(masses);
    ReducedProblem reduced;
    ASSERT_TRUE(ReducedProblem::isFor(chain.problem));
    ASSERT_TRUE(reduced.reset(chain.problem));
    reduced.problem().validate();
    ExactSolver solver;
    Solution part;
    ASSERT_EQ(solver.solve(reduced.problem(), part), SolveStatus::solved);
    VectorXd lambda, back;
    reduced.expand(part.lambda, lambda);
    reduced.restrict(lambda, back);
    EXPECT_EQ(back, part.lambda);
    EXPECT_GT(part.lambda[0], 0.0);  // the floor pushes
    EXPECT_LT(calcError(chain.problem, lambda), 1e-8);
  }
}

TEST(ReducedProblem, LeavesTheVelocitiesThatJointsAllow) {
  Chain chain({1, 2, 3});
  ReducedProblem reduced;
  ASSERT_TRUE(reduced.reset(chain.problem));
  EXPECT_EQ(reduced.problem().dofCount(), 18 - 6);
  EXPECT_EQ(reduced.problem().rows.blockCount(), 1);
}

TEST(ReducedProblem, RefusesEqualitiesThatContradictEachOther) {
  Chain chain({1, 2, 3});
  ReducedProblem reduced;
  ASSERT_TRUE(reduced.reset(chain.problem));
  chain.problem.bias[0] = 0.1;  // of a row that stands there twice
  EXPECT_FALSE(reduced.reset(chain.problem));
  Solution solution;
  ExactSolver solver;
  EXPECT_EQ(solver.solve(chain.problem, solution), SolveStatus::infeasible);
}

TEST(ReducedProblem, IsNotForContactsAlone) {
  Chain chain({1});
  EXPECT_FALSE(ReducedProblem::isFor(chain.problem));
}

}  // namespace
}  // namespace cornet::exact
