#include "cornet/math/rotation.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cornet {
namespace {

const std::vector<double> kAngles = {1e-300, 1e-160, 1e-20, 1e-9, 1e-8, 1.1e-8, 1e-7, 1e-4,
                                     0.1,    1.0,    3.0,   std::numbers::pi - 1e-6,
                                     std::numbers::pi - 1e-12};

Vector3d randomAxis(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vector3d(normal(random), normal(random), normal(random)).normalized();
}

TEST(Rotation, LogarithmInvertsExponentialToFullRelativeAccuracy) {
  std::mt19937 random(31);
  for (const double angle : kAngles) {
    for (int k = 0; k < 100; ++k) {
      const Vector3d phi = angle * randomAxis(random);
      const Vector3d back = logMap(expMap(phi));
      ASSERT_LE((back - phi).stableNorm(), 9e-16 * angle + 1e-323) << "angle " << angle;
    }
  }
}

TEST(Rotation, ExponentialMatchesRodrigues) {
  std::mt19937 random(32);
  for (const double angle : kAngles) {
    const Vector3d axis = randomAxis(random);
    const Matrix3d expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_LE((expMap(angle * axis).toRotationMatrix() - expected).norm(), 1e-15 * 4);
  }
}

TEST(Rotation, QuaternionAndItsNegativeAreTheSameRotation) {
  std::mt19937 random(33);
  for (const double angle : kAngles) {
    const Quaterniond q = expMap(angle * randomAxis(random));
    const Quaterniond opposite(-q.w(), -q.x(), -q.y(), -q.z());
    EXPECT_LE((logMap(q) - logMap(opposite)).norm(), 0.0);
  }
}

TEST(Rotation, ZeroGivesTheIdentity) {
  EXPECT_EQ(expMap(Vector3d::Zero()).w(), 1.0);
  EXPECT_EQ(logMap(Quaterniond::Identity()), Vector3d::Zero());
}

TEST(Rotation, ExponentialsOfOneAxisAddTheirAngles) {
  const Vector3d axis(0.6, 0.0, 0.8);
  const Quaterniond product = expMap(0.7 * axis) * expMap(1.1 * axis);
  EXPECT_LE((logMap(product) - 1.8 * axis).norm(), 1e-15);
}

}  // namespace
}  // namespace cornet
