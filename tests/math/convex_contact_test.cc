#include "cornet/math/convex_contact.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "cornet/math/friction_cone.h"

namespace cornet {
namespace {

// Conditions up to about 1e6.
Matrix3d randomSpd(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix3d G;
  for (int k = 0; k < 9; ++k) G(k / 3, k % 3) = normal(random);
  return G * G.transpose() + std::pow(10.0, -6.0 * (random() % 100) / 100.0) * Matrix3d::Identity();
}

// For a convex problem the fixed point of the projection is the minimiser.
TEST(ConvexContact, MinimisesTheQuadraticOverTheCone) {
  std::mt19937 random(21);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> friction(0.0, 3.0);
  for (int k = 0; k < 50000; ++k) {
    const Matrix3d A = randomSpd(random);
    const Vector3d q(normal(random), normal(random), normal(random));
    const double mu = k % 10 == 0 ? 0.0 : friction(random);
    Vector3d lambda;
    solveConvexContact(A, q, mu, lambda);
    const double rho = 3.0 / A.trace();
    const Vector3d R = lambda - projectFrictionCone(lambda - rho * (A * lambda + q), mu);
    ASSERT_LE(R.norm() / rho, 1e-12 * (q.norm() + A.norm() * lambda.norm()))
        << A << "\n" << q.transpose() << " " << mu;
  }
}

TEST(ConvexContact, HoldsForSlightlyUnsymmetricBlocks) {
  std::mt19937 random(22);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 5000; ++k) {
    Matrix3d A = randomSpd(random) + Matrix3d::Identity();
    A += 1e-3 * Matrix3d::NullaryExpr([&] { return normal(random); });
    const Vector3d q(-std::abs(normal(random)), 3.0 * normal(random), 3.0 * normal(random));
    Vector3d lambda;
    solveConvexContact(A, q, 0.7, lambda);
    const double rho = 3.0 / A.trace();
    const Vector3d R = lambda - projectFrictionCone(lambda - rho * (A * lambda + q), 0.7);
    ASSERT_LE(R.norm() / rho, 1e-12 * (q.norm() + A.norm() * lambda.norm()));
  }
}

// Rows of the reference table for A = 0.1 I: what the convex model says when a contact slides.
TEST(ConvexContact, ThrowsASlidingContactUpwards) {
  Vector3d lambda;
  const Matrix3d A = 0.1 * Matrix3d::Identity();
  solveConvexContact(A, {-1.5, 5.0, 0.0}, 0.5, lambda);
  EXPECT_NEAR((lambda - Vector3d(32.0, -16.0, 0.0)).norm(), 0.0, 1e-12);
  const Vector3d u = A * lambda + Vector3d(-1.5, 5.0, 0.0);
  EXPECT_NEAR(u[0], 0.5 * u[1], 1e-13);  // separates at μ times its sliding speed
}

}  // namespace
}  // namespace cornet
