#include "cornet/math/tangent_basis.h"

#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace cornet {
namespace {

void expectRightHanded(const Vector3d& n) {
  const Matrix3d axes = makeContactAxes(n);
  EXPECT_EQ(axes.col(0), n);
  EXPECT_LE((axes.transpose() * axes - Matrix3d::Identity()).cwiseAbs().maxCoeff(), 9e-16)
      << n.transpose();
  EXPECT_NEAR(axes.determinant(), 1.0, 1e-15);
}

TEST(TangentBasis, IsOrthonormalAndRightHandedForEveryNormal) {
  std::mt19937 random(41);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 10000; ++k) {
    expectRightHanded(Vector3d(normal(random), normal(random), normal(random)).normalized());
  }
}

TEST(TangentBasis, HasNoSmallDivisorAtThePolesAndTheEquator) {
  for (const double z : {1.0, -1.0}) {
    expectRightHanded(Vector3d(0.0, 0.0, z));
    expectRightHanded(Vector3d(1e-9, 0.0, z).normalized());
    expectRightHanded(Vector3d(1e-160, 1e-170, z).normalized());
  }
  expectRightHanded(Vector3d::UnitX());
  expectRightHanded(Vector3d::UnitY());
  expectRightHanded(Vector3d(0.6, 0.8, -0.0));
}

}  // namespace
}  // namespace cornet
