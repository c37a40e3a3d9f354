#include "cornet/math/friction_cone.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cornet {
namespace {

const std::vector<double> kFrictions = {0.0, 1e-9, 0.1, 0.5, 1.0, 10.0, 1e3, kInfinity};

Vector3d randomVector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double scale = std::pow(10.0, 3.0 * normal(random));
  return scale * Vector3d(normal(random), normal(random), normal(random));
}

bool inFrictionCone(const Vector3d& x, double mu, double slack) {
  if (std::isinf(mu)) return x[0] >= -slack;
  return tangentialNorm(x) <= mu * x[0] + slack;
}

bool inDualCone(const Vector3d& x, double mu, double slack) {
  if (std::isinf(mu)) return x[0] >= -slack && tangentialNorm(x) <= slack;
  return x[0] >= mu * tangentialNorm(x) - slack;
}

// The projection p of x on a closed convex cone K is the point of K with p - x in K* and
// p ⊥ p - x: three conditions that a brute-force search needs no grid for.
TEST(FrictionCone, ProjectionMeetsItsOptimalityConditions) {
  std::mt19937 random(1);
  for (const double mu : kFrictions) {
    for (int k = 0; k < 5000; ++k) {
      const Vector3d x = randomVector(random);
      const Vector3d p = projectFrictionCone(x, mu);
      const double slack = 1e-14 * (1.0 + (std::isinf(mu) ? 0.0 : mu)) * x.norm();
      ASSERT_TRUE(inFrictionCone(p, mu, slack)) << mu << " " << x.transpose();
      ASSERT_TRUE(inDualCone(p - x, mu, slack)) << mu << " " << x.transpose();
      ASSERT_NEAR(p.dot(p - x), 0.0, 1e-13 * x.squaredNorm());
    }
  }
}

TEST(FrictionCone, NoSampledPointOfTheConeIsCloserThanTheProjection) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const double mu : {0.0, 0.3, 1.0, 5.0}) {
    for (int k = 0; k < 200; ++k) {
      const Vector3d x = randomVector(random);
      const double distance = (x - projectFrictionCone(x, mu)).norm();
      for (int sample = 0; sample < 200; ++sample) {
        const double n = 2.0 * x.norm() * unit(random);
        const double t = mu * n * unit(random);
        const double angle = 2.0 * M_PI * unit(random);
        const Vector3d y(n, t * std::cos(angle), t * std::sin(angle));
        ASSERT_GE((x - y).norm(), distance * (1.0 - 1e-14));
      }
    }
  }
}

TEST(FrictionCone, ConeAndDualDecomposeEveryVector) {  // Moreau
  std::mt19937 random(3);
  for (const double mu : kFrictions) {
    for (int k = 0; k < 5000; ++k) {
      const Vector3d x = randomVector(random);
      const Vector3d sum = projectDualCone(x, mu) - projectFrictionCone(-x, mu);
      ASSERT_LE((sum - x).norm(), 1e-14 * x.norm()) << mu << " " << x.transpose();
    }
  }
}

TEST(FrictionCone, PointsOfTheConeAreFixedExactly) {
  const Vector3d inside(2.0, 0.3, -0.4);
  EXPECT_EQ(projectFrictionCone(inside, 0.5), inside);
  EXPECT_EQ(projectDualCone(inside, 0.5), inside);
  EXPECT_EQ(projectFrictionCone({-1.0, 0.1, 0.0}, 0.5), Vector3d::Zero());
  EXPECT_EQ(projectFrictionCone(Vector3d::Zero(), 0.5), Vector3d::Zero());
}

TEST(FrictionCone, ZeroFrictionIsTheNormalRay) {
  EXPECT_EQ(projectFrictionCone({2.0, 5.0, -1.0}, 0.0), Vector3d(2.0, 0.0, 0.0));
  EXPECT_EQ(projectFrictionCone({-2.0, 5.0, -1.0}, 0.0), Vector3d::Zero());
  EXPECT_EQ(projectFrictionCone({-2.0, 0.0, 0.0}, 0.0), Vector3d::Zero());
}

TEST(FrictionCone, ProductProjectsEveryTripleOnItsOwnCone) {
  const std::vector<double> mu = {0.0, 0.5, kInfinity};
  VectorXd x(9);
  x << 1, 2, 3, 1, 2, 0, -1, 2, 3;
  VectorXd expected = x;
  for (int i = 0; i < 3; ++i) {
    expected.segment<3>(3 * i) = projectFrictionCone(x.segment<3>(3 * i), mu[i]);
  }
  projectFrictionCones(mu, x);
  EXPECT_EQ(x, expected);
}

TEST(FrictionCone, CoulombMapFixesExactlyTheSolutionsOfTheLaw) {
  const double mu = 0.5;
  const double rho = 3.0;
  const auto residual = [&](const Vector3d& lambda, const Vector3d& u, double friction) {
    return (lambda - coulombMap(lambda - rho * u, friction)).norm();
  };
  EXPECT_EQ(residual({0, 0, 0}, {1, 2, 3}, mu), 0.0);                    // open
  EXPECT_EQ(residual({2, 0.5, -0.5}, {0, 0, 0}, mu), 0.0);               // sticks
  EXPECT_LE(residual({2, 0.6, 0.8}, {0, -0.6, -0.8}, mu), 1e-15);        // slides
  EXPECT_GT(residual({2, 0.6, 0.8}, {0, 0.6, 0.8}, mu), 0.1);            // pushes: refused
  EXPECT_GT(residual({2, 0.6, 0.8}, {0.1, -0.6, -0.8}, mu), 0.1);        // lifts: refused
  EXPECT_EQ(residual({2, 9, 9}, {0, 0, 0}, kInfinity), 0.0);
  EXPECT_GT(residual({2, 9, 9}, {0, -1, 0}, kInfinity), 0.1);
}

TEST(FrictionCone, DeSaxceVelocityTurnsSlidingIntoTheDualCone) {
  const Vector3d u_hat = deSaxceVelocity({0.0, 3.0, 4.0}, 0.5);
  EXPECT_EQ(u_hat, Vector3d(2.5, 3.0, 4.0));
  EXPECT_TRUE(inDualCone(u_hat, 0.5, 0.0));
}

// λ - P(λ - s) as it is written, in more digits.
using LongVector = Eigen::Matrix<long double, 3, 1>;
LongVector stepByDifference(const Vector3d& lambda, const Vector3d& s, double mu, bool cascaded) {
  const LongVector x = lambda.cast<long double>() - s.cast<long double>();
  const long double t = std::sqrt(x[1] * x[1] + x[2] * x[2]), m = mu;
  LongVector p = x;
  if (cascaded) {
    const long double radius = m * std::max(0.0L, x[0]);
    p[0] = std::max(0.0L, x[0]);
    if (t > radius) p.tail<2>() *= radius / t;
  } else if (m * t <= -x[0]) {
    p.setZero();
  } else if (x[0] < 0.0L || t > m * x[0]) {
    p[0] = (x[0] + m * t) / (1.0L + m * m);
    p.tail<2>() *= m * p[0] / t;
  }
  return lambda.cast<long double>() - p;
}

TEST(FrictionCone, StepsKeepTheirDigitsBesideLargeImpulses) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int power = 0; power <= 30; power += 6) {
    const double size = std::ldexp(1.0, power);
    for (int k = 0; k < 3000; ++k) {
      const Vector3d s(normal(random), normal(random), normal(random));
      // On the cone of μ = 0.5 exactly, inside it, outside, and open.
      const std::array<Vector3d, 4> impulses = {Vector3d(10.0, 3.0, 4.0), Vector3d(10.0, 1.0, -1.0), Vector3d(6.0, 4.0, -3.0), Vector3d(0, 0, 0)};
      for (const Vector3d& lambda : impulses) {
        for (const bool cascaded : {false, true}) {
          const Vector3d step = cascaded ? stepToCoulomb(size * lambda, s, 0.5) : stepToFrictionCone(size * lambda, s, 0.5);
          const LongVector exact = stepByDifference(size * lambda, s, 0.5, cascaded);
          const double rounding = 1e-14 * (1.0 + exact.cast<double>().norm()) + 1e-18 * size * lambda.norm();
          ASSERT_LE((step.cast<long double>() - exact).norm(), rounding) << lambda.transpose() << " " << s.transpose() << " " << size;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cornet
