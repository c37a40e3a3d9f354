#include "cornet/solvers/exact/cone_scaling.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace cornet::exact {
namespace {

using Random = std::mt19937;

// A point of the cone whose distance from the edge is a share of its size down to `closest`.
Vector3d interiorPoint(Random& random, double closest) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(std::log(closest), 0.0);
  const Vector2d t(normal(random), normal(random));
  const double depth = std::exp(exponent(random));
  return std::exp(2.0 * normal(random)) * Vector3d(t.norm() * (1.0 + depth) + 1e-3 * depth, t[0], t[1]);
}

TEST(ConeScaling, TakesOnePointToTheOther) {
  Random random(201);
  for (int k = 0; k < 20000; ++k) {
    const Vector3d r = interiorPoint(random, 1e-8);
    const Vector3d z = interiorPoint(random, 1e-8);
    const ConeScaling scaling = makeConeScaling(r, z);
    // The distance from the edge is known to ε/depth; so is the result.
    const double depth = std::min(coneDepth(r) / r[0], coneDepth(z) / z[0]);
    const Vector3d image = applySpectral(scaling, scaling.omega, z);
    ASSERT_LE((image - r).norm(), 4e-16 / depth * r.norm()) << r.transpose() << " | " << z.transpose();
    const Vector3d back = applySpectral(scaling, scaling.omega.cwiseInverse(), r);
    ASSERT_LE((back - z).norm(), 4e-16 / depth * z.norm());
  }
}

TEST(ConeScaling, ScaledPointsCoincide) {  // W z = W⁻¹ r
  Random random(202);
  for (int k = 0; k < 5000; ++k) {
    const Vector3d r = interiorPoint(random, 1e-4);
    const Vector3d z = interiorPoint(random, 1e-4);
    const ConeScaling scaling = makeConeScaling(r, z);
    const Vector3d root = scaling.omega.cwiseSqrt();
    const Vector3d a = applySpectral(scaling, root, z);
    const Vector3d b = applySpectral(scaling, root.cwiseInverse(), r);
    ASSERT_LE((a - b).norm(), 1e-11 * a.norm());
    ASSERT_GT(coneDepth(a), 0.0);
  }
}

TEST(ConeScaling, MatrixAndProductAgree) {
  Random random(203);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    const ConeScaling scaling = makeConeScaling(interiorPoint(random, 0.01), interiorPoint(random, 0.01));
    const Vector3d f(normal(random), normal(random), normal(random));
    const Vector3d x(normal(random), normal(random), normal(random));
    ASSERT_LE((makeSpectral(scaling, f) * x - applySpectral(scaling, f, x)).norm(), 1e-14 * 10);
  }
}

TEST(JordanAlgebra, DivisionUndoesTheProduct) {
  Random random(204);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 5000; ++k) {
    const Vector3d x = interiorPoint(random, 1e-3);
    const Vector3d y(normal(random), normal(random), normal(random));
    const Vector3d back = jordanDivide(x, jordanProduct(x, y));
    ASSERT_LE((back - y).norm(), 1e-11 * y.norm());
  }
}

TEST(MaxConeStep, AgreesWithBisection) {
  Random random(205);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 5000; ++k) {
    const Vector3d x = interiorPoint(random, 1e-3);
    const Vector3d dx = x[0] * Vector3d(normal(random), normal(random), normal(random));
    const double step = maxConeStep(x, dx);
    const auto inside = [&](double a) { return coneDepth(x + a * dx) >= 0.0; };
    double lo = 0.0;
    double hi = 1e6;
    if (inside(hi)) {
      EXPECT_GE(step, 1e5);
      continue;
    }
    for (int i = 0; i < 200; ++i) {
      const double mid = 0.5 * (lo + hi);
      (inside(mid) ? lo : hi) = mid;
    }
    ASSERT_NEAR(step, lo, 1e-9 * lo) << x.transpose() << " | " << dx.transpose();
  }
}

TEST(MaxConeStep, IsUnlimitedInsideTheCone) {
  EXPECT_EQ(maxConeStep({1.0, 0.2, 0.1}, {1.0, 0.5, 0.5}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(maxConeStep({1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(maxConeStep({1.0, 0.0, 0.0}, {-2.0, 0.0, 0.0}), 0.5);
}

}  // namespace
}  // namespace cornet::exact
