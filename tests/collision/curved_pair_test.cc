// Pairs with a cylinder, cone or ellipsoid are proved as in narrow_phase_test.cc: a direction bounds the
// distance from below, two points on the surfaces from above; where shapes overlap other directions are
// searched.
#include "cornet/collision/curved/curved_pair.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/collision/narrow_phase.h"
#include "support/effort.h"
#include "support/mirrored.h"
#include "support/random_shapes.h"

namespace cornet {
namespace {

using test::level;
using test::makeShape;
using test::Random;
using test::randomDirection;
using test::randomRotation;
using test::uniform;

struct PairKind {
  std::string a, b;
};
void PrintTo(const PairKind& pair, std::ostream* out) { *out << pair.a << "_" << pair.b; }

class CurvedPairOf : public testing::TestWithParam<PairKind> {};

std::vector<PairKind> allPairs() {
  std::vector<PairKind> pairs;
  const std::vector<std::string> kinds = {"sphere", "capsule",  "box",      "hull",
                                          "cone",   "cylinder", "ellipsoid"};
  for (std::size_t i = 4; i < kinds.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) pairs.push_back({kinds[j], kinds[i]});
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Kinds, CurvedPairOf, testing::ValuesIn(allPairs()),
                         [](const auto& of) { return of.param.a + "_" + of.param.b; });

// Two shapes brought to a chosen signed distance.
struct Placement {
  Shape a, b;
  Pose X_WA, X_WB;
};
Placement place(const PairKind& kind, double wanted, Random& random, NarrowPhase& narrow) {
  Placement pair{makeShape(kind.a, random), makeShape(kind.b, random),
                 Pose(randomRotation(random), Vector3d(3.0, -2.0, 1.0)), {}};
  pair.X_WB = Pose(randomRotation(random), pair.X_WA.p + 3.5 * randomDirection(random));
  for (int step = 0; step < 3; ++step) {
    const ManifoldPoint now = narrow.calcDistance(pair.a, pair.X_WA, pair.b, pair.X_WB);
    pair.X_WB.p += (wanted - now.gap) * now.normal;
  }
  return pair;
}

TEST_P(CurvedPairOf, DistanceAndDepthAreProved) {
  Random random(17);
  NarrowPhase narrow;
  double worst_low = 0.0, worst_high = 0.0, worst_surface = 0.0, worst_depth = 0.0;
  for (int k = 0; k < test::effort(3000); ++k) {
    const double wanted = k % 3 == 0 ? 0.0 : k % 3 == 1 ? uniform(random, 1e-6, 0.3)
                                                        : -uniform(random, 1e-6, 0.2);
    const auto [a, b, X_WA, X_WB] = place(GetParam(), wanted, random, narrow);
    const ManifoldPoint found = narrow.calcDistance(a, X_WA, b, X_WB);
    ASSERT_NEAR(found.normal.norm(), 1.0, 1e-14);
    ASSERT_NEAR(found.normal.dot(found.point_b - found.point_a), found.gap, 1e-13);
    const double along = test::separationAlong(a, X_WA, b, X_WB, found.normal);
    worst_low = std::max(worst_low, std::abs(along - found.gap));
    worst_surface = std::max({worst_surface, std::abs(level(a, X_WA, found.point_a)),
                              std::abs(level(b, X_WB, found.point_b))});
    if (found.gap > 0.0) {
      worst_high = std::max(worst_high, std::abs((found.point_b - found.point_a).norm() - found.gap));
      continue;
    }
    for (int trial = 0; trial < 30; ++trial) {
      const Vector3d n = trial % 2 == 0 ? randomDirection(random)
                                        : (found.normal + std::pow(10.0, -trial / 3) *
                                                              randomDirection(random)).normalized();
      worst_depth = std::max(worst_depth, test::separationAlong(a, X_WA, b, X_WB, n) - found.gap);
    }
  }
  EXPECT_LT(worst_low, 2e-12);  // sizes up to 2 m
  EXPECT_LT(worst_high, 2e-12);
  EXPECT_LT(worst_surface, 2e-12);
  EXPECT_LT(worst_depth, 2e-12);
}

TEST_P(CurvedPairOf, SwappingTheShapesMirrorsTheResultExactly) {
  test::expectMirrored(GetParam().a, GetParam().b, 500);
}

TEST_P(CurvedPairOf, EveryContactIsOnBothSurfaces) {
  Random random(23);
  NarrowPhase narrow;
  ManifoldOptions options;
  options.margin = 0.05;
  Manifold manifold;
  for (int k = 0; k < test::effort(1000); ++k) {
    const auto [a, b, X_WA, X_WB] = place(GetParam(), uniform(random, -0.05, 0.04), random, narrow);
    narrow.collide(a, X_WA, b, X_WB, options, manifold);
    ASSERT_FALSE(manifold.empty());
    for (const ManifoldPoint& contact : manifold) {
      EXPECT_LE(contact.gap, options.margin);
      EXPECT_NEAR(contact.normal.dot(contact.point_b - contact.point_a), contact.gap, 1e-13);
      EXPECT_NEAR(level(a, X_WA, contact.point_a), 0.0, 2e-7);  // corners this far out count as in
      EXPECT_NEAR(level(b, X_WB, contact.point_b), 0.0, 2e-7);
    }
  }
}

// The same bodies a thousand times smaller or larger.
TEST_P(CurvedPairOf, AccuracyGoesWithTheSize) {
  for (const double size : {1e-3, 1e3}) {
    Random random(29);
    NarrowPhase narrow;
    double worst = 0.0;
    for (int k = 0; k < 300; ++k) {
      const auto [a, b, X_WA, X_WB] = place(GetParam(), uniform(random, -0.1, 0.1), random, narrow);
      const auto scaled = [size](const Shape& shape) { return test::scaled(shape, size); };
      const Pose X_WC(X_WA.R, Vector3d::Zero());
      const Pose X_WD(X_WB.R, size * (X_WB.p - X_WA.p));
      const double here = narrow.calcDistance(a, X_WC, b, Pose(X_WB.R, X_WB.p - X_WA.p)).gap;
      const double there = narrow.calcDistance(scaled(a), X_WC, scaled(b), X_WD).gap;
      worst = std::max(worst, std::abs(there / size - here));
    }
    EXPECT_LT(worst, 2e-12);
  }
}

// A direction through coal, and all pairs of edges: the same distance.
TEST(CurvedPair, LargeHullsAgreeWithAllPairsOfEdges) {
  Random random(37);
  CurvedPair pair;
  PlacedConvex a, b;
  PlacedCore core_a, core_b;
  double worst = 0.0;
  for (int k = 0; k < 300; ++k) {
    std::vector<Vector3d> points;
    for (int i = 0; i < 40; ++i) {
      // Half of them are prisms with a wide base, which stand on each other.
      const Vector3d point = randomDirection(random);
      points.push_back(k % 2 == 0 ? point : Vector3d(point.x(), point.y(), point.z() < 0.0 ? -0.3 : 0.3));
    }
    const Shape hull = ConvexHull(points);
    const double gap = uniform(random, -0.05, 0.05);
    const Pose X_WB = k % 2 == 0 ? Pose(randomRotation(random), (1.8 + gap) * randomDirection(random))
                                 : Pose(expMap(Vector3d(0.0, 0.0, uniform(random, 0.0, 6.0))),
                                        Vector3d(0.2, 0.1, 0.6 + gap));
    a.place(hull, Pose());
    b.place(hull, X_WB);
    core_a.place(hull, Pose());
    core_b.place(hull, X_WB);
    Separation one, other;
    ASSERT_TRUE(pair.separate(a, b, 1e9, one));
    ASSERT_TRUE(separate(core_a, core_b, 1e9, other));
    worst = std::max(worst, std::abs(one.distance - other.distance));
  }
  EXPECT_LT(worst, 1e-13);
}

// A triangle against the shapes of the library: the same proof.
TEST(CurvedPair, TrianglesAreMeasuredAsExactly) {
  Random random(31);
  NarrowPhase narrow;
  for (const std::string kind : {"sphere", "capsule", "box", "hull", "cylinder", "cone", "ellipsoid"}) {
    CurvedPair pair;
    PlacedConvex triangle, shape;
    double worst = 0.0;
    for (int k = 0; k < 2000; ++k) {
      const Shape other = makeShape(kind, random);
      shape.place(other, Pose(randomRotation(random), Vector3d::Zero()));
      Vector3d corners[3];
      const Vector3d centre = uniform(random, 0.5, 2.0) * randomDirection(random);
      for (Vector3d& corner : corners) corner = centre + uniform(random, 0.2, 1.0) * randomDirection(random);
      triangle.placeTriangle(corners[0], corners[1], corners[2]);
      Separation found;
      ASSERT_TRUE(pair.separate(triangle, shape, 1e9, found));
      worst = std::max(worst, std::abs(separationAlong(triangle, shape, found.normal) - found.distance));
      if (found.distance > 0.0) {
        worst = std::max(worst, std::abs((found.point_b - found.point_a).norm() - found.distance));
        worst = std::max(worst, std::abs(level(other, shape.pose(), found.point_b)));
        continue;
      }
      for (int trial = 0; trial < 20; ++trial) {
        const Vector3d n = trial % 2 == 0 ? randomDirection(random)
                                          : (found.normal + std::pow(10.0, -trial / 3) *
                                                                randomDirection(random)).normalized();
        worst = std::max(worst, separationAlong(triangle, shape, n) - found.distance);
      }
    }
    EXPECT_LT(worst, 2e-12) << kind;
  }
}

}  // namespace
}  // namespace cornet
