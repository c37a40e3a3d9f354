#include "cornet/solvers/ecos/ecos_data.h"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cornet/solvers/ecos/build_problem.h"
#include "cornet/solvers/ecos/pivoted_cholesky.h"

namespace cornet {
namespace {

constexpr double kTolerance = 1e-10;
constexpr int kIterations = 100;

MatrixXd toDense(const ECOSSparseMatrix& matrix) {
  MatrixXd dense = MatrixXd::Zero(matrix.nrows, matrix.ncols);
  for (long j = 0; j < matrix.ncols; ++j) {
    for (long k = matrix.col_ptrs[j]; k < matrix.col_ptrs[j + 1]; ++k) {
      dense(matrix.row_indices[k], j) = matrix.data[k];
    }
  }
  return dense;
}

// min x1 subject to ‖(3, 4)‖ ≤ x1: the answer is 5.
ECOSData makeNorm() {
  ECOSData data;
  data.G = ECOSSparseMatrix::fromDense((MatrixXd(3, 1) << -1.0, 0.0, 0.0).finished());
  data.h = {0.0, 3.0, 4.0};
  data.c = {1.0};
  data.cone_sizes = {3};
  return data;
}

FrictionConeSpec makeSpec(const std::vector<double>& mu) {
  FrictionConeSpec spec(static_cast<int>(mu.size()));
  for (int i = 0; i < spec.numContacts; ++i) spec.setFriction(i, mu[i], 3 * i);
  return spec;
}

TEST(EcosSparseMatrix, StoresADenseMatrixByColumns) {
  const MatrixXd dense = (MatrixXd(3, 3) << 1, 0, 2, 0, 0, 3, 4, 5, 0).finished();
  const ECOSSparseMatrix matrix = ECOSSparseMatrix::fromDense(dense);
  EXPECT_EQ(matrix.data, (std::vector<double>{1, 4, 5, 2, 3}));
  EXPECT_EQ(matrix.row_indices, (std::vector<long>{0, 2, 2, 0, 1}));
  EXPECT_EQ(matrix.col_ptrs, (std::vector<long>{0, 2, 3, 5}));
  EXPECT_EQ(matrix.nrows, 3);
  EXPECT_EQ(matrix.ncols, 3);
  EXPECT_EQ(matrix.nnz, 5);
}

TEST(EcosSparseMatrix, LeavesOutWhatIsNotAboveTheThreshold) {
  const MatrixXd dense = (MatrixXd(2, 2) << 1e-13, -2e-12, 1e-12, -1e-3).finished();
  EXPECT_EQ(ECOSSparseMatrix::fromDense(dense).data, (std::vector<double>{-2e-12, -1e-3}));
  EXPECT_EQ(ECOSSparseMatrix::fromDense(dense, 0.0).nnz, 4);
  EXPECT_EQ(ECOSSparseMatrix::fromDense(dense, 1.0).col_ptrs, (std::vector<long>{0, 0, 0}));
}

TEST(EcosSparseMatrix, KeepsAnEigenSparseMatrix) {
  Eigen::SparseMatrix<double> sparse(4, 3);
  sparse.insert(2, 0) = 7.0;
  sparse.insert(0, 2) = 1.0;
  sparse.insert(3, 2) = -1e-15;
  const ECOSSparseMatrix matrix = ECOSSparseMatrix::fromSparse(sparse);
  EXPECT_EQ(matrix.data, (std::vector<double>{7.0, 1.0, -1e-15}));
  EXPECT_EQ(matrix.row_indices, (std::vector<long>{2, 0, 3}));
  EXPECT_EQ(matrix.col_ptrs, (std::vector<long>{0, 1, 1, 3}));
  EXPECT_EQ(toDense(matrix), MatrixXd(sparse));
}

TEST(EcosSparseMatrix, RefusesNumbersThatAreNotFinite) {
  MatrixXd dense = MatrixXd::Identity(2, 2);
  dense(1, 0) = std::nan("");
  EXPECT_THROW(ECOSSparseMatrix::fromDense(dense), std::invalid_argument);
}

TEST(FrictionConeSpec, HoldsCoefficientsAndNormalRows) {
  FrictionConeSpec single(1);
  single.setFriction(0, 0.3, 0);
  EXPECT_EQ(single.frictionCoefficients, std::vector<double>{0.3});
  EXPECT_EQ(single.normalIndices, std::vector<int>{0});
  FrictionConeSpec spec(3);
  spec.setFriction(0, 0.5, 6);
  spec.setFriction(1, 0.0, 0);
  spec.setFriction(2, 0.8, 3);
  EXPECT_EQ(spec.frictionCoefficients, (std::vector<double>{0.5, 0.0, 0.8}));
  EXPECT_EQ(spec.normalIndices, (std::vector<int>{6, 0, 3}));
  EXPECT_EQ(spec.getConeSizes(), (std::vector<long>{3, 3, 3}));
}

TEST(FrictionConeSpec, RefusesWhatIsNoContact) {
  EXPECT_THROW(FrictionConeSpec(-1), std::invalid_argument);
  FrictionConeSpec spec(2);
  EXPECT_THROW(spec.setFriction(2, 0.5, 0), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(-1, 0.5, 0), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(0, -0.5, 0), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(0, std::nan(""), 0), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(0, 0.5, -3), std::invalid_argument);
}

TEST(PivotedCholesky, FactorsMatricesOfAnyRank) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int n : {1, 3, 8, 30}) {
    for (int rank = 0; rank <= n; rank += (n > 8 ? 10 : 1)) {
      const MatrixXd root = MatrixXd::NullaryExpr(n, rank, [&] { return normal(random); });
      const MatrixXd A = root * root.transpose();
      const MatrixXd F = factorSemidefinite(A);
      EXPECT_EQ(F.cols(), rank) << n;
      EXPECT_LT((F * F.transpose() - A).norm(), 1e-13 * (1.0 + A.norm()));
    }
  }
}

// A = I/4 and μ = 1: S = 2, so that S A S = I = F, and c = -2 b = (-6, 0, 8) with rms √(100/3).
TEST(BuildEcosProblem, IsTheVelocityFormOfASingleContact) {
  const ECOSData data =
      buildECOSProblem(0.25 * Matrix3d::Identity(), Vector3d(3.0, 0.0, -4.0), makeSpec({1.0}), 1);
  MatrixXd G = MatrixXd::Zero(8, 4);
  G.topLeftCorner(3, 3) = -Matrix3d::Identity();          // the contact: y + c in Q³
  G(3, 3) = G(4, 3) = -1.0;                               // (t + 1, t - 1, √2 y) in Q⁵
  G.bottomLeftCorner(3, 3) = -std::sqrt(2.0) * Matrix3d::Identity();
  EXPECT_LT((toDense(data.G) - G).norm(), 1e-15);
  const double Y = std::sqrt(100.0 / 3.0);
  const std::vector<double> h = {-6.0 / Y, 0.0, 8.0 / Y, 1.0, -1.0, 0.0, 0.0, 0.0};
  ASSERT_EQ(data.h.size(), h.size());
  for (std::size_t k = 0; k < h.size(); ++k) EXPECT_NEAR(data.h[k], h[k], 1e-15);
  EXPECT_EQ(data.c, (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(data.cone_sizes, (std::vector<long>{3, 5}));
  EXPECT_EQ(data.num_positive, 0);
  EXPECT_EQ(data.b.size(), 0u);
}

// With μ = 1/2 the mean of diag(1, μ², μ²) is 1/2: S = √8 (1, ½, ½), so that S A S = diag(2, ½, ½).
TEST(BuildEcosProblem, TurnsTheFrictionConeIntoTheUnitCone) {
  const ECOSData data =
      buildECOSProblem(0.25 * Matrix3d::Identity(), Vector3d(1.0, 1.0, 0.0), makeSpec({0.5}), 1);
  const MatrixXd F = -toDense(data.G).topLeftCorner(3, 3);
  EXPECT_LT((F * F.transpose() - MatrixXd(Vector3d(2.0, 0.5, 0.5).asDiagonal())).norm(), 1e-15);
  EXPECT_NEAR(data.h[1] / data.h[0], 0.5, 1e-15);
}

TEST(BuildEcosProblem, HasAConePerContactAndOneForTheParabola) {
  const ECOSData data = buildECOSProblem(MatrixXd::Identity(9, 9), VectorXd::Ones(9),
                                         makeSpec({0.5, 0.0, 0.8}), 3);
  EXPECT_EQ(data.num_positive, 1);                              // the contact without friction
  EXPECT_EQ(data.cone_sizes, (std::vector<long>{3, 3, 7 + 2}));  // its tangents are gone
  EXPECT_EQ(data.G.nrows, 1 + 3 + 3 + 9);
  EXPECT_EQ(data.G.ncols, 7 + 1);
  EXPECT_EQ(data.rows[0].index, 1);
  EXPECT_EQ(data.rows[3].index, 0);
  EXPECT_EQ(data.rows[4].part, ConicRow::Part::none);
  EXPECT_EQ(data.rows[6].index, 4);
}

TEST(BuildEcosProblem, HasOneVariablePerRankOfASingularMatrix) {
  MatrixXd F = MatrixXd::Random(6, 4);
  const ECOSData data =
      buildECOSProblem(F * F.transpose(), VectorXd::Ones(6), makeSpec({0.5, 0.5}), 2);
  EXPECT_EQ(data.num_velocities, 4);
}

// The same two contacts, their rows exchanged.
TEST(BuildEcosProblem, FindsContactsAtTheirRows) {
  MatrixXd root = MatrixXd::Random(6, 6) + 2.0 * MatrixXd::Identity(6, 6);
  const MatrixXd A = root * root.transpose();
  const VectorXd b = (VectorXd(6) << 1.0, 2.0, 0.0, 0.5, -3.0, 1.0).finished();
  Eigen::PermutationMatrix<6> swap;
  swap.indices() << 3, 4, 5, 0, 1, 2;
  ECOSData straight = buildECOSProblem(A, b, makeSpec({0.5, 0.2}), 2);
  FrictionConeSpec spec(2);
  spec.setFriction(0, 0.5, 3);
  spec.setFriction(1, 0.2, 0);
  ECOSData exchanged = buildECOSProblem(swap * A * swap.transpose(), swap * b, spec, 2);
  ASSERT_EQ(straight.solve(kTolerance, kTolerance, kIterations), 0);
  ASSERT_EQ(exchanged.solve(kTolerance, kTolerance, kIterations), 0);
  EXPECT_LT((swap * straight.impulses() - exchanged.impulses()).norm(), 1e-12);
}

TEST(BuildEcosProblem, RefusesSizesAndRowsThatDoNotFit) {
  const MatrixXd A = MatrixXd::Identity(6, 6);
  const VectorXd b = VectorXd::Zero(6);
  EXPECT_THROW(buildECOSProblem(A, b, makeSpec({0.5}), 2), std::invalid_argument);
  EXPECT_THROW(buildECOSProblem(A, b, makeSpec({0.5}), 1), std::invalid_argument);
  EXPECT_THROW(buildECOSProblem(A, VectorXd::Zero(5), makeSpec({0.5, 0.5}), 2),
               std::invalid_argument);
  FrictionConeSpec shared(2);
  shared.setFriction(1, 0.5, 2);
  EXPECT_THROW(buildECOSProblem(A, b, shared, 2), std::invalid_argument);
  MatrixXd bad = A;
  bad(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(buildECOSProblem(bad, b, makeSpec({0.5, 0.5}), 2), std::invalid_argument);
}

TEST(EcosData, SolvesAConeProgram) {
  ECOSData data = makeNorm();
  EXPECT_EQ(data.solve(kTolerance, kTolerance, kIterations), 0);
  EXPECT_NEAR(data.x[0], 5.0, 1e-8);
  EXPECT_NEAR(data.z[1], -3.0 / 5.0, 1e-8);
  EXPECT_GT(data.iterations, 0);
}

TEST(EcosData, KeepsItsOwnNumbersWhileEcosScalesCopies) {
  ECOSData data = makeNorm();
  data.G.data = {-2.0};  // ECOS divides this by its root while it works
  const ECOSValues before = data.values();
  data.solve(kTolerance, kTolerance, kIterations);
  EXPECT_EQ(data.G.data, before.G);
  EXPECT_EQ(data.h, before.h);
  data.cleanup();
  EXPECT_EQ(data.G.data, before.G);
  EXPECT_EQ(data.c, before.c);
  EXPECT_FALSE(data.isSetUp());
  data.cleanup();
  EXPECT_EQ(data.solve(kTolerance, kTolerance, kIterations), 0);
}

TEST(EcosData, MovesWithItsWorkspace) {
  ECOSData first = makeNorm();
  first.setup();
  ECOSData second(std::move(first));
  EXPECT_FALSE(first.isSetUp());
  EXPECT_TRUE(second.isSetUp());
  EXPECT_EQ(second.solve(kTolerance, kTolerance, kIterations), 0);
  ECOSData third = makeNorm();
  third.setup();
  third = std::move(second);  // the old workspace goes before its arrays
  EXPECT_FALSE(second.isSetUp());
  third.updateH({0.0, 5.0, 12.0});
  EXPECT_EQ(third.solve(kTolerance, kTolerance, kIterations), 0);
  EXPECT_NEAR(third.x[0], 13.0, 1e-7);
  second = makeNorm();
  EXPECT_EQ(second.solve(kTolerance, kTolerance, kIterations), 0);
}

TEST(EcosData, GivesTheSameBitsAfterAnUpdateAsAfterAFreshSetUp) {
  const MatrixXd A = 0.1 * Matrix3d::Identity();
  ECOSData updated = buildECOSProblem(A, Vector3d(1.5, -0.2, 0.0), makeSpec({0.5}), 1);
  updated.solve(kTolerance, kTolerance, kIterations);
  ECOSData fresh = buildECOSProblem(A, Vector3d(1.5, -0.2, 0.0), makeSpec({0.5}), 1);
  fresh.h[0] += 0.7;
  updated.updateH(fresh.h);
  EXPECT_EQ(updated.solve(kTolerance, kTolerance, kIterations), fresh.solve(kTolerance, kTolerance, kIterations));
  EXPECT_EQ(updated.x, fresh.x);
  EXPECT_EQ(updated.z, fresh.z);
}

TEST(EcosData, RefusesSizesThatDoNotFit) {
  ECOSData data = makeNorm();
  data.cone_sizes = {2};
  EXPECT_THROW(data.setup(), std::invalid_argument);
  data = makeNorm();
  data.c = {1.0, 2.0};
  EXPECT_THROW(data.setup(), std::invalid_argument);
  data = makeNorm();
  EXPECT_THROW(data.updateH({1.0}), std::invalid_argument);
}

TEST(EcosData, SaysWhatEcosSays) {
  ECOSData infeasible = makeNorm();  // 5 ≤ s1 = 1
  infeasible.G = ECOSSparseMatrix::fromDense((MatrixXd(3, 1) << 0.0, 0.0, -1.0).finished());
  infeasible.h = {1.0, 5.0, 0.0};
  EXPECT_EQ(infeasible.solve(kTolerance, kTolerance, kIterations), 1);
  ECOSData unbounded = makeNorm();
  unbounded.c = {-1.0};
  EXPECT_EQ(unbounded.solve(kTolerance, kTolerance, kIterations), 2);
  ECOSData cut_short = makeNorm();
  EXPECT_EQ(cut_short.solve(kTolerance, kTolerance, 1), -1);
}

}  // namespace
}  // namespace cornet
