// Contacts are proved, not compared: a direction in which two shapes are d apart shows that their
// distance is at least d, a pair of points d apart that it is at most d; for shapes that overlap a search
// over directions shows that none leads out sooner.
#include "cornet/collision/narrow_phase.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace cornet {
namespace {

using Random = std::mt19937;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Vector3d randomDirection(Random& random) {
  std::normal_distribution<double> normal;
  return Vector3d(normal(random), normal(random), normal(random)).normalized();
}

Matrix3d randomRotation(Random& random) {
  std::normal_distribution<double> normal;
  return Quaterniond(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

Shape makeShape(const std::string& kind, Random& random) {
  if (kind == "sphere") return Sphere{uniform(random, 0.1, 1.0)};
  if (kind == "capsule") return Capsule{uniform(random, 0.1, 0.5), uniform(random, 0.1, 1.0)};
  if (kind == "box") {
    return Box({uniform(random, 0.1, 1.0), uniform(random, 0.1, 1.0), uniform(random, 0.1, 1.0)});
  }
  std::vector<Vector3d> points;
  for (int k = 0; k < 12; ++k) points.push_back(uniform(random, 0.3, 1.0) * randomDirection(random));
  return ConvexHull(points);
}

// Smallest n·x over B less the largest over A: how far apart they are seen along n.
double separationAlong(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       const Vector3d& n) {
  const Vector3d far_a = X_WA.R * calcSupport(a, X_WA.R.transpose() * n);
  const Vector3d near_b = X_WB.R * calcSupport(b, -(X_WB.R.transpose() * n));
  return n.dot(X_WB.p - X_WA.p) + n.dot(near_b) - n.dot(far_a);
}

// How far x is outside the shape at most, by its distance from the surface of its core.
double outside(const Shape& shape, const Pose& X, const Vector3d& x) {
  NarrowPhase narrow;
  const double r = 1e-3;
  return narrow.calcDistance(shape, X, Sphere{r}, Pose(Matrix3d::Identity(), x)).gap + r;
}

struct PairKind {
  std::string a, b;
};
void PrintTo(const PairKind& pair, std::ostream* out) { *out << pair.a << "_" << pair.b; }

class AnalyticPair : public testing::TestWithParam<PairKind> {};

INSTANTIATE_TEST_SUITE_P(
    Of, AnalyticPair,
    testing::Values(PairKind{"sphere", "sphere"}, PairKind{"sphere", "capsule"},
                    PairKind{"sphere", "box"}, PairKind{"sphere", "hull"},
                    PairKind{"capsule", "capsule"}, PairKind{"capsule", "box"},
                    PairKind{"capsule", "hull"}, PairKind{"box", "box"}, PairKind{"box", "hull"},
                    PairKind{"hull", "hull"}),
    [](const auto& of) { return of.param.a + "_" + of.param.b; });

TEST_P(AnalyticPair, DistanceAndDepthAreProved) {
  Random random(17);
  NarrowPhase narrow;
  double worst_low = 0.0, worst_high = 0.0, worst_depth = 0.0;
  int apart = 0, overlapping = 0;
  for (int k = 0; k < 10000; ++k) {
    const Shape a = makeShape(GetParam().a, random);
    const Shape b = makeShape(GetParam().b, random);
    const Pose X_WA(randomRotation(random), Vector3d(3.0, -2.0, 1.0));
    const Vector3d direction = randomDirection(random);
    Pose X_WB(randomRotation(random), X_WA.p + 3.5 * direction);
    // Brought to a chosen distance along the line of centres, by the separation in the end direction.
    const double wanted = k % 3 == 0 ? 0.0 : k % 3 == 1 ? uniform(random, 1e-6, 0.3)
                                                        : -uniform(random, 1e-6, 0.2);
    for (int step = 0; step < 3; ++step) {
      const ContactGeometryPoint now = narrow.calcDistance(a, X_WA, b, X_WB);
      X_WB.p += (wanted - now.gap) * now.normal;
    }
    const ContactGeometryPoint found = narrow.calcDistance(a, X_WA, b, X_WB);
    const double along = separationAlong(a, X_WA, b, X_WB, found.normal);
    ASSERT_NEAR(found.normal.norm(), 1.0, 1e-14);
    ASSERT_NEAR(found.normal.dot(found.point_b - found.point_a), found.gap, 1e-13);
    worst_low = std::max(worst_low, std::abs(along - found.gap));
    if (found.gap > 0.0) {
      ++apart;
      worst_high = std::max({worst_high, std::abs((found.point_b - found.point_a).norm() - found.gap),
                             outside(a, X_WA, found.point_a), outside(b, X_WB, found.point_b)});
      continue;
    }
    ++overlapping;
    for (int trial = 0; trial < 30; ++trial) {
      const Vector3d n = trial % 2 == 0 ? randomDirection(random)
                                        : (found.normal + std::pow(10.0, -trial / 3) *
                                                              randomDirection(random)).normalized();
      worst_depth = std::max(worst_depth, separationAlong(a, X_WA, b, X_WB, n) - found.gap);
    }
  }
  EXPECT_LT(worst_low, 2e-12);  // sizes up to 2 m
  EXPECT_LT(worst_high, 2e-12);
  EXPECT_LT(worst_depth, 2e-12);
  EXPECT_GT(apart, 3000);
  EXPECT_GT(overlapping, 2000);
}

TEST_P(AnalyticPair, SwappingTheShapesMirrorsTheResultExactly) {
  Random random(19);
  NarrowPhase narrow;
  ManifoldOptions options;
  options.margin = 0.1;
  Manifold one, other;
  for (int k = 0; k < 2000; ++k) {
    const Shape a = makeShape(GetParam().a, random);
    const Shape b = makeShape(GetParam().b, random);
    const Pose X_WA(randomRotation(random), randomDirection(random));
    const Pose X_WB(randomRotation(random), X_WA.p + randomDirection(random));
    narrow.collide(a, X_WA, b, X_WB, options, one);
    narrow.collide(b, X_WB, a, X_WA, options, other);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].point_a, other[i].point_b);
      EXPECT_EQ(one[i].point_b, other[i].point_a);
      EXPECT_EQ(one[i].normal, -other[i].normal);
      EXPECT_EQ(one[i].gap, other[i].gap);
      EXPECT_EQ(one[i].key, other[i].key);
    }
  }
}

TEST_P(AnalyticPair, EveryContactIsOnBothSurfaces) {
  Random random(23);
  NarrowPhase narrow;
  ManifoldOptions options;
  options.margin = 0.05;
  Manifold manifold;
  for (int k = 0; k < 3000; ++k) {
    const Shape a = makeShape(GetParam().a, random);
    const Shape b = makeShape(GetParam().b, random);
    const Pose X_WA(randomRotation(random), Vector3d::Zero());
    Pose X_WB(randomRotation(random), 3.5 * randomDirection(random));
    const double wanted = uniform(random, -0.05, 0.04);
    for (int step = 0; step < 3; ++step) {
      const ContactGeometryPoint now = narrow.calcDistance(a, X_WA, b, X_WB);
      X_WB.p += (wanted - now.gap) * now.normal;
    }
    narrow.collide(a, X_WA, b, X_WB, options, manifold);
    ASSERT_FALSE(manifold.empty());
    for (const ContactGeometryPoint& contact : manifold) {
      EXPECT_LE(contact.gap, options.margin);
      EXPECT_NEAR(contact.normal.dot(contact.point_b - contact.point_a), contact.gap, 1e-13);
      if (contact.gap > 0.0) continue;  // points of overlapping shapes lie in the other shape
      EXPECT_LT(outside(a, X_WA, contact.point_a), 1e-9);
      EXPECT_LT(outside(b, X_WB, contact.point_b), 1e-9);
    }
  }
}

}  // namespace
}  // namespace cornet
