// Parts of the exact solver against dense algebra and finite differences.
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "cornet/solvers/exact/barrier.h"
#include "cornet/solvers/exact.h"
#include "cornet/solvers/exact/delassus_kkt.h"
#include "cornet/solvers/exact/polish.h"
#include "cornet/solvers/exact/velocity_kkt.h"
#include "support/random_problem.h"
#include "support/rigid_scene.h"

namespace cornet::exact {
namespace {


VectorXd randomVector(std::mt19937_64& random, Eigen::Index n) {
  std::normal_distribution<double> normal;
  VectorXd x(n);
  for (double& entry : x) entry = normal(random);
  return x;
}

// A of the scaled problem, column by column, with its compliance.
MatrixXd denseOperator(KktSystem& kkt, int rows) {
  MatrixXd A(rows, rows);
  VectorXd column;
  for (int j = 0; j < rows; ++j) {
    kkt.multiply(VectorXd::Unit(rows, j), column);
    A.col(j) = column;
  }
  return A;
}

TEST(ScaledProblem, HasUnitDiagonalInTheMean) {
  ScaledProblem scaled;
  scaled.reset(test::assemble(test::brickWall(3, 3)), FrictionModel::coulomb);
  VelocityKkt kkt(scaled);
  kkt.reset();
  const MatrixXd A = denseOperator(kkt, scaled.rows().rowCount());
  for (int i = 0; i < scaled.rows().blockCount(); ++i) {
    EXPECT_NEAR(A.diagonal().segment<3>(3 * i).mean(), 1.0, 1e-14);
  }
}

TEST(ScaledProblem, BothFormsAreTheSameProblem) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    const ContactProblem problem = test::makeRandomProblem(random);
    ScaledProblem velocity, delassus;
    velocity.reset(problem, FrictionModel::coulomb);
    delassus.reset(makeDelassusProblem(problem), FrictionModel::coulomb);
    const int rows = velocity.rows().rowCount();
    ASSERT_EQ(rows, delassus.rows().rowCount());
    if (rows == 0) continue;
    const double size = 1.0 + velocity.rows().c.norm();
    EXPECT_LT((velocity.rows().c - delassus.rows().c).norm(), 1e-11 * size);
    VelocityKkt velocity_kkt(velocity);
    DelassusKkt delassus_kkt(delassus), formed_kkt(velocity);
    velocity_kkt.reset();
    delassus_kkt.reset();
    velocity.formDelassus();
    formed_kkt.reset();
    const MatrixXd A = denseOperator(velocity_kkt, rows);
    EXPECT_LT((A - denseOperator(delassus_kkt, rows)).norm(), 1e-11 * A.norm());
    EXPECT_LT((A - denseOperator(formed_kkt, rows)).norm(), 1e-12 * A.norm());
  }
}

TEST(ScaledProblem, ImpulsesSurviveTheRoundTrip) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 50; ++k) {
    const ContactProblem problem = test::makeRandomProblem(random);
    ScaledProblem scaled;
    scaled.reset(problem, FrictionModel::coulomb);
    const VectorXd r = randomVector(random, scaled.rows().rowCount());
    VectorXd lambda, back;
    scaled.toImpulses(r, lambda);
    scaled.toScaled(lambda, back);
    EXPECT_LE((back - r).norm(), 1e-14 * (1.0 + r.norm()));
    // Rows that are gone carry what they must.
    for (int i = 0; i < problem.rows.blockCount(); ++i) {
      for (int row = problem.rows.offset(i); row < problem.rows.offset(i) + problem.rows.size(i); ++row) {
        const bool fixed = problem.rows.kind[i] == LawKind::box &&
                           problem.rows.lower[row] == problem.rows.upper[row];
        if (fixed) { EXPECT_EQ(lambda[row], problem.rows.lower[row]); }
      }
    }
  }
}

// Random positive definite weights, unsymmetric when asked for.
void setRandomWeights(std::mt19937_64& random, const ScaledRows& rows, bool symmetric,
                      BlockWeights& G, BlockWeights& G_inverse, MatrixXd& dense) {
  dense.setZero(rows.rowCount(), rows.rowCount());
  G.reset(rows);
  G_inverse.reset(rows);
  for (int i = 0; i < rows.blockCount(); ++i) {
    const int n = rows.size(i);
    MatrixXd root(n, n);
    for (int c = 0; c < n; ++c) root.col(c) = randomVector(random, n);
    MatrixXd G_i = MatrixXd::Identity(n, n) + root * root.transpose();
    if (!symmetric) G_i += 0.3 * (root - root.transpose());
    Eigen::Map<MatrixXd>(G.block(i), n, n) = G_i;
    Eigen::Map<MatrixXd>(G_inverse.block(i), n, n) = G_i.inverse();
    dense.block(rows.offset[i], rows.offset[i], n, n) = G_i;
  }
}

TEST(KktSystem, BothFormsAgreeWithDenseAlgebra) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 200; ++k) {
    const ContactProblem problem = test::makeRandomProblem(random);
    ScaledProblem scaled;
    scaled.reset(problem, FrictionModel::coulomb);
    const int n = scaled.rows().rowCount();
    if (n == 0) continue;
    scaled.formDelassus();
    VelocityKkt velocity(scaled);
    DelassusKkt delassus(scaled);
    velocity.reset();
    delassus.reset();
    BlockWeights G, G_inverse;
    MatrixXd dense;
    const bool symmetric = k % 2 == 0;
    setRandomWeights(random, scaled.rows(), symmetric, G, G_inverse, dense);
    const MatrixXd A = denseOperator(velocity, n);
    const VectorXd a = randomVector(random, n);
    const VectorXd g = randomVector(random, n);
    const VectorXd expected =
        (MatrixXd::Identity(n, n) + dense * A).partialPivLu().solve(a - dense * g);
    const VectorXd h = dense.partialPivLu().solve(a);
    VectorXd dr, A_dr;
    velocity.factor(G, symmetric);
    velocity.solve(a, g, dr, A_dr);
    EXPECT_LT((dr - expected).norm(), 1e-9 * expected.norm());
    EXPECT_LT((A_dr - A * expected).norm(), 1e-9 * (1.0 + expected.norm()));
    delassus.factor(G_inverse, symmetric);
    delassus.solve(h, g, dr, A_dr);
    EXPECT_LT((dr - expected).norm(), 1e-9 * expected.norm());
    EXPECT_LT((A_dr - A * expected).norm(), 1e-9 * (1.0 + expected.norm()));
    EXPECT_EQ(velocity.determinantSign(), delassus.determinantSign());
  }
}

// The linearized equations hold for the direction that barrier and systems give together.
TEST(Barrier, DirectionsSolveTheLinearizedEquations) {
  std::mt19937_64 random(4);
  test::RandomProblemOptions options;
  options.max_mass_ratio = 10.0;
  for (int k = 0; k < 100; ++k) {
    const ContactProblem problem = test::makeRandomProblem(random, options);
    ScaledProblem scaled;
    scaled.reset(problem, FrictionModel::coulomb);
    const ScaledRows& rows = scaled.rows();
    const int n = rows.rowCount();
    if (n == 0) continue;
    scaled.formDelassus();
    VelocityKkt velocity(scaled);
    DelassusKkt delassus(scaled);
    Barrier barrier;
    barrier.reset(rows, FrictionModel::coulomb);
    InteriorPointIterate x, d;
    x.r = randomVector(random, n);
    barrier.moveInside(randomVector(random, n), 0.5, 0.5, true, x);
    ASSERT_TRUE(barrier.linearize(x));
    BlockWeights weights;
    weights.reset(rows);
    VectorXd u, g, target, A_dr;
    for (KktSystem* kkt : {static_cast<KktSystem*>(&velocity), static_cast<KktSystem*>(&delassus)}) {
      kkt->reset();
      kkt->multiply(x.r, u);
      u += rows.c;
      barrier.calcResidual(x, u, g);
      barrier.calcWeights(1.0, kkt->readsInverse(), weights);
      kkt->factor(weights, false);
      const double nu = 0.1;
      barrier.calcTarget(nu, nullptr, kkt->readsInverse(), x, target);
      kkt->solve(target, g, d.r, A_dr);
      barrier.calcDirection(x, g, A_dr, d);
      // A short step removes its share of the residual and moves the products to ν.
      const double a = 1e-5;
      const InteriorPointIterate moved{x.r + a * d.r, x.z + a * d.z, x.y + a * d.y};
      VectorXd next_u, next_g;
      kkt->multiply(moved.r, next_u);
      next_u += rows.c;
      barrier.calcResidual(moved, next_u, next_g);
      const double size = 1.0 + g.norm() + d.r.norm() + d.z.squaredNorm();
      EXPECT_LT((next_g - (1.0 - a) * g).norm(), 1e-8 * size);
      for (int i = 0; i < rows.blockCount(); ++i) {
        const int begin = rows.offset[i];
        if (!rows.is_cone[i]) continue;
        const Vector3d before = jordanProduct(x.r.segment<3>(begin), x.z.segment<3>(begin));
        const Vector3d after = jordanProduct(moved.r.segment<3>(begin), moved.z.segment<3>(begin));
        // The scaled equations change r∘z to first order towards ν e in the metric of the scaling;
        // its trace, the normal component, is free of the scaling.
        EXPECT_NEAR(after[0], (1.0 - a) * before[0] + a * nu, 1e-6 * size);
      }
    }
  }
}

// Scores scaled impulses by the certificate of the problem.
class CertificateJudge final : public Judge {
 public:
  CertificateJudge(const ContactProblem& problem, const ScaledProblem& scaled)
      : certifier_(problem), scaled_(scaled) {}
  double calcError(const VectorXd& r) override {
    scaled_.toImpulses(r, lambda_);
    certifier_.measure(lambda_, certificate_);
    return certificate_.relative;
  }
  bool mustEnd() const override { return false; }

 private:
  Certifier certifier_;
  const ScaledProblem& scaled_;
  Certificate certificate_;
  VectorXd lambda_;
};

// Sliding, sticking and opening contacts: impulses that are right to five digits become exact in a few
// factorizations, in both forms.
TEST(Polish, TakesNearlyRightImpulsesToTheFloor) {
  test::Scene scene = test::boxStack({1.0, 2.0, 1.0});
  scene.bodies[2].velocity = Vector3d(2.0, 0.5, 0.0);
  scene.bodies[2].omega = Vector3d(0.0, 0.5, 1.0);
  const ContactProblem problem = test::assemble(scene);
  Solution solution;
  ASSERT_EQ(ExactSolver().solve(problem, solution), SolveStatus::solved);
  ScaledProblem scaled;
  scaled.reset(problem, FrictionModel::coulomb);
  scaled.formDelassus();
  VelocityKkt velocity(scaled);
  DelassusKkt delassus(scaled);
  std::mt19937_64 random(5);
  for (KktSystem* kkt : {static_cast<KktSystem*>(&velocity), static_cast<KktSystem*>(&delassus)}) {
    kkt->reset();
    CertificateJudge judge(problem, scaled);
    VectorXd r;
    scaled.toScaled(solution.lambda, r);
    r += 1e-5 * r.norm() * randomVector(random, r.size()) / std::sqrt(r.size());
    const double before = judge.calcError(r);
    EXPECT_GT(before, 1e-7);
    Polish polish;
    polish.reset(scaled.rows(), FrictionModel::coulomb);
    EXPECT_LE(polish.run({1e-11, 12, false}, *kkt, judge, r, before), 12);
    EXPECT_LE(judge.calcError(r), 1e-11);
  }
}

}  // namespace
}  // namespace cornet::exact
