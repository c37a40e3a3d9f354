// Contacts are proved, not compared: a direction in which two shapes are d apart shows that their
// distance is at least d, a pair of points d apart that it is at most d; for shapes that overlap a search
// over directions shows that none leads out sooner.
#include "cornet/collision/narrow_phase.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/effort.h"
#include "support/mirrored.h"
#include "support/random_shapes.h"

namespace cornet {
namespace {

using test::makeShape;
using test::Random;
using test::randomDirection;
using test::randomRotation;
using test::separationAlong;
using test::uniform;

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
  for (int k = 0; k < test::effort(10000); ++k) {
    const Shape a = makeShape(GetParam().a, random);
    const Shape b = makeShape(GetParam().b, random);
    const Pose X_WA(randomRotation(random), Vector3d(3.0, -2.0, 1.0));
    const Vector3d direction = randomDirection(random);
    Pose X_WB(randomRotation(random), X_WA.p + 3.5 * direction);
    // Brought to a chosen distance along the line of centres, by the separation in the end direction.
    const double wanted = k % 3 == 0 ? 0.0 : k % 3 == 1 ? uniform(random, 1e-6, 0.3)
                                                        : -uniform(random, 1e-6, 0.2);
    for (int step = 0; step < 3; ++step) {
      const ManifoldPoint now = narrow.calcDistance(a, X_WA, b, X_WB);
      X_WB.p += (wanted - now.gap) * now.normal;
    }
    const ManifoldPoint found = narrow.calcDistance(a, X_WA, b, X_WB);
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
  EXPECT_GT(apart, test::effort(3000));
  EXPECT_GT(overlapping, test::effort(2000));
}

TEST_P(AnalyticPair, SwappingTheShapesMirrorsTheResultExactly) {
  test::expectMirrored(GetParam().a, GetParam().b, 2000);
}

TEST_P(AnalyticPair, EveryContactIsOnBothSurfaces) {
  Random random(23);
  NarrowPhase narrow;
  ManifoldOptions options;
  options.margin = 0.05;
  Manifold manifold;
  for (int k = 0; k < test::effort(3000); ++k) {
    const Shape a = makeShape(GetParam().a, random);
    const Shape b = makeShape(GetParam().b, random);
    const Pose X_WA(randomRotation(random), Vector3d::Zero());
    Pose X_WB(randomRotation(random), 3.5 * randomDirection(random));
    const double wanted = uniform(random, -0.05, 0.04);
    for (int step = 0; step < 3; ++step) {
      const ManifoldPoint now = narrow.calcDistance(a, X_WA, b, X_WB);
      X_WB.p += (wanted - now.gap) * now.normal;
    }
    narrow.collide(a, X_WA, b, X_WB, options, manifold);
    ASSERT_FALSE(manifold.empty());
    for (const ManifoldPoint& contact : manifold) {
      EXPECT_LE(contact.gap, options.margin);
      EXPECT_NEAR(contact.normal.dot(contact.point_b - contact.point_a), contact.gap, 1e-13);
      if (contact.gap > 0.0) continue;  // points of overlapping shapes lie in the other shape
      EXPECT_LT(outside(a, X_WA, contact.point_a), 2e-7);  // corners this far out count as in
      EXPECT_LT(outside(b, X_WB, contact.point_b), 2e-7);
    }
  }
}

// ---- boxes whose faces are nearly parallel

struct BoxPair {
  Box a{Vector3d::Ones()}, b{Vector3d::Ones()};
  Pose X_WA, X_WB;
  double size = 1.0;
};

// B above a face of A, turned by `tilt` about a random axis in the face and by any angle about its normal.
BoxPair stack(Random& random, double tilt, double gap, double size) {
  const auto edge = [&] { return size * uniform(random, 0.2, 1.0); };
  BoxPair pair;
  pair.size = size;
  pair.a = Box({edge(), edge(), edge()});
  pair.b = Box({edge(), edge(), edge()});
  const double turn = uniform(random, 0.0, 6.3);
  const double lean = uniform(random, 0.0, 6.3);
  const Matrix3d R = expMap(tilt * Vector3d(std::cos(lean), std::sin(lean), 0.0)).toRotationMatrix() *
                     expMap(Vector3d(0.0, 0.0, turn)).toRotationMatrix();
  // The lowest corner stands `gap` over A; the centre is over the inner part of its face.
  double lowest = 0.0;
  for (const Vector3d& v : pair.b.polyhedron().vertices()) lowest = std::min(lowest, (R * v).z());
  pair.X_WB = Pose(R, {0.3 * uniform(random, -1.0, 1.0) * pair.a.half().x(),
                       0.3 * uniform(random, -1.0, 1.0) * pair.a.half().y(),
                       pair.a.half().z() + gap - lowest});
  const Pose X(randomRotation(random), size * randomDirection(random));
  pair.X_WA = X;
  pair.X_WB = X * pair.X_WB;
  return pair;
}

TEST(ParallelBoxes, NoContactIsMissedAndNoneInvented) {
  Random random(29);
  NarrowPhase narrow;
  Manifold manifold;
  int poses = 0, fewer = 0;
  for (const double size : {1e-3, 0.1, 1.0, 10.0}) {
    for (const double tilt : {0.0, 1e-12, 1e-9, 1.4e-7, 1e-5, 1e-3}) {
      for (int k = 0; k < 4200; ++k, ++poses) {
        const double magnitude = std::pow(10.0, uniform(random, -9.0, -2.0)) * size;
        const double gap = k % 2 ? magnitude : -magnitude;
        const BoxPair pair = stack(random, tilt, gap, size);
        ManifoldOptions options;
        options.margin = 0.05 * size;
        narrow.collide(pair.a, pair.X_WA, pair.b, pair.X_WB, options, manifold);
        ASSERT_FALSE(manifold.empty()) << "size " << size << " tilt " << tilt << " gap " << gap;
        const double deepest = std::ranges::min(manifold, {}, &ManifoldPoint::gap).gap;
        // Along A's face they are `gap` apart; another direction, turned by the tilt, may be better.
        EXPECT_GE(deepest, gap - 1e-12 * size);
        EXPECT_LE(deepest, gap + 4.0 * tilt * size + 1e-12 * size);
        const Vector3d n = manifold[0].normal;
        EXPECT_NEAR(separationAlong(pair.a, pair.X_WA, pair.b, pair.X_WB, n), deepest, 2e-12 * size);
        EXPECT_LE((n - pair.X_WA.R.col(2)).norm(), 3.0 * tilt + 1e-10);
        fewer += manifold.size() < 3;
      }
    }
  }
  EXPECT_EQ(fewer, 0) << "of " << poses;  // the faces overlap: three contacts at least
}

// Equal boxes on top of each other have coinciding corners; jitter must not rename their contacts.
TEST(ParallelBoxes, KeysSurviveJitter) {
  Random random(31);
  NarrowPhase narrow;
  Manifold manifold;
  ManifoldOptions options;
  options.margin = 1e-3;
  const Box box(Vector3d::Constant(0.5));
  const Box brick({1.0, 0.5, 0.5});
  std::vector<std::uint64_t> keys_box, keys_brick;
  for (int frame = 0; frame < test::effort(1000); ++frame) {
    const auto jitter = [&] { return Vector3d(1e-9 * randomDirection(random)); };
    const Pose below(expMap(jitter()), jitter());
    const auto keys = [&](const Shape& shape, const Vector3d& place) {
      narrow.collideInOrder(shape, below, shape, Pose(expMap(jitter()), place + jitter()), options,
                            manifold);
      std::vector<std::uint64_t> result;
      for (const auto& contact : manifold) result.push_back(contact.key);
      return result;
    };
    const auto column = keys(box, {0, 0, 1});
    const auto bond = keys(brick, {1, 0, 1});
    ASSERT_EQ(column.size(), 4u);
    ASSERT_EQ(bond.size(), 4u);
    if (frame == 0) {
      keys_box = column;
      keys_brick = bond;
    }
    ASSERT_EQ(column, keys_box);
    ASSERT_EQ(bond, keys_brick);
  }
}

// ---- line contacts

TEST(LineContact, ParallelCapsulesTouchAtTwoPoints) {
  NarrowPhase narrow;
  Manifold manifold;
  ManifoldOptions options;
  options.margin = 0.01;
  const Capsule capsule{0.2, 0.5};
  for (const double turn : {0.0, 1e-12, 1e-9, 1e-6, 1e-5}) {
    const Pose above(expMap(Vector3d(turn, 0.0, 0.0)), Vector3d(0.4, 0.0, 0.2));
    narrow.collide(capsule, Pose(), capsule, above, options, manifold);
    ASSERT_EQ(manifold.size(), 2u) << turn;
    EXPECT_NEAR(std::abs(manifold[0].point_b.z() - manifold[1].point_b.z()), 0.8, 1e-3);
    for (const auto& contact : manifold) EXPECT_NEAR(contact.gap, 0.0, 2.0 * turn * turn + 1e-15);
  }
  // Crossed ones touch at one.
  const Pose crossed(expMap(Vector3d(1.0, 0.0, 0.0)), Vector3d(0.4, 0.0, 0.0));
  narrow.collide(capsule, Pose(), capsule, crossed, options, manifold);
  EXPECT_EQ(manifold.size(), 1u);
}

TEST(LineContact, CapsuleLyingOnABoxHasTwoPoints) {
  NarrowPhase narrow;
  Manifold manifold;
  ManifoldOptions options;
  options.margin = 0.01;
  const Box box({1.0, 1.0, 0.5});
  const Matrix3d lying = expMap(Vector3d(0.0, M_PI / 2.0, 0.0)).toRotationMatrix();
  narrow.collide(box, Pose(), Capsule{0.1, 0.4}, Pose(lying, {0, 0, 0.6}), options, manifold);
  ASSERT_EQ(manifold.size(), 2u);
  for (const auto& contact : manifold) {
    EXPECT_NEAR(contact.gap, 0.0, 1e-15);
    EXPECT_NEAR(std::abs(contact.point_b.x()), 0.4, 1e-15);
    EXPECT_LT((contact.normal - Vector3d::UnitZ()).norm(), 1e-15);
  }
}

// ---- half-space

TEST(HalfSpace, LowestPointsOfEveryShape) {
  Random random(37);
  NarrowPhase narrow;
  Manifold manifold;
  ManifoldOptions options;
  options.margin = 10.0;
  const std::vector<Shape> shapes = {Sphere{0.5},        Box({0.3, 0.4, 0.5}), Capsule{0.2, 0.4},
                                     Cylinder{0.3, 0.4}, Cone{0.3, 0.4},       Ellipsoid{{0.2, 0.3, 0.4}},
                                     makeShape("hull", random)};
  for (const Shape& shape : shapes) {
    for (int k = 0; k < 500; ++k) {
      const Pose floor(randomRotation(random), randomDirection(random));
      const Pose X(randomRotation(random), 3.0 * randomDirection(random));
      narrow.collide(HalfSpace{}, floor, shape, X, options, manifold);
      if (manifold.empty()) continue;
      const Vector3d n = floor.R.col(2);
      const Vector3d lowest = X * calcSupport(shape, -(X.R.transpose() * n));
      const auto deepest = std::ranges::min(manifold, {}, &ManifoldPoint::gap);
      EXPECT_NEAR(deepest.gap, n.dot(lowest - floor.p), 1e-14) << nameOf(shape);
      for (const auto& contact : manifold) {
        EXPECT_NEAR(n.dot(contact.point_a - floor.p), 0.0, 1e-14);
        EXPECT_NEAR(n.dot(contact.point_b - contact.point_a), contact.gap, 1e-14);
      }
    }
  }
}

TEST(HalfSpace, FlatShapesStandOnTheirCornersOrRim) {
  NarrowPhase narrow;
  Manifold manifold;
  ManifoldOptions options;
  options.margin = 1e-3;
  const auto count = [&](const Shape& shape, const Matrix3d& R, double height) {
    narrow.collide(HalfSpace{}, Pose(), shape, Pose(R, {0, 0, height}), options, manifold);
    return manifold.size();
  };
  const Matrix3d upright = Matrix3d::Identity();
  const Matrix3d lying = expMap(Vector3d(0.0, M_PI / 2.0, 0.0)).toRotationMatrix();
  EXPECT_EQ(count(Box({0.3, 0.4, 0.5}), upright, 0.5), 4u);
  EXPECT_EQ(count(Cylinder{0.3, 0.5}, upright, 0.5), 4u);
  EXPECT_EQ(count(Cylinder{0.3, 0.5}, lying, 0.3), 2u);
  EXPECT_EQ(count(Capsule{0.3, 0.5}, lying, 0.3), 2u);
  EXPECT_EQ(count(Capsule{0.3, 0.5}, upright, 0.8), 1u);
  EXPECT_EQ(count(Cone{0.3, 0.5}, upright, 0.5), 4u);
  EXPECT_EQ(count(Sphere{0.3}, upright, 0.3), 1u);
  EXPECT_EQ(count(Sphere{0.3}, upright, 0.4), 0u);
}

// Sizes over nine decades, poses that coincide or are far apart: every answer is a finite one.
TEST(NarrowPhase, SurvivesAnyPair) {
  Random random(41);
  NarrowPhase narrow;
  Manifold manifold;
  const auto size = [&] { return std::pow(10.0, uniform(random, -6.0, 3.0)); };
  const auto shape = [&]() -> Shape {
    switch (random() % 8) {
      case 0: return Sphere{size()};
      case 1: return Capsule{size(), size()};
      case 2: return Box({size(), size(), size()});
      case 3: return Cylinder{size(), size()};
      case 4: return HalfSpace{};
      case 5: return Cone{size(), size()};
      case 6: return Ellipsoid{{size(), size(), size()}};
      default: return makeShape("hull", random);
    }
  };
  const auto pose = [&] {
    const Matrix3d R = random() % 4 == 0 ? Matrix3d(Matrix3d::Identity()) : randomRotation(random);
    const Vector3d p = random() % 3 == 0 ? Vector3d(Vector3d::Zero()) : Vector3d(size() * randomDirection(random));
    return Pose(R, p);
  };
  int collided = 0;
  for (int k = 0; k < test::effort(100000); ++k) {
    const Shape a = shape();
    const Shape b = shape();
    if (!NarrowPhase::supports(a, b)) continue;
    ++collided;
    ManifoldOptions options;
    options.margin = random() % 2 == 0 ? 0.0 : size();
    const Pose X_WA = pose();
    const Pose X_WB = pose();
    narrow.collide(a, X_WA, b, X_WB, options, manifold);
    ASSERT_LE(manifold.size(), 8u);
    for (const auto& contact : manifold) {
      ASSERT_TRUE(contact.point_a.allFinite() && contact.point_b.allFinite()) << nameOf(a) << nameOf(b);
      ASSERT_NEAR(contact.normal.norm(), 1.0, 1e-12) << nameOf(a) << " " << nameOf(b);
      ASSERT_TRUE(std::isfinite(contact.gap) && contact.gap <= options.margin);
    }
  }
  EXPECT_GT(collided, test::effort(50000));
}

// A pin through a foil: the foil's short edges are parallel to the pin up to rounding, no way out.
TEST(NarrowPhase, EdgesTooShortToHaveADirectionOfferNone) {
  Random random(43);
  for (int k = 0; k < test::effort(3000); ++k) {
    const double thickness = std::pow(10.0, uniform(random, -10.0, -3.0));
    const Capsule pin{1e-5, 0.1};
    const Pose X(randomRotation(random), 1e-8 * randomDirection(random));
    const ManifoldPoint found = NarrowPhase().calcDistance(pin, X, Box({0.3, 0.2, thickness}), X);
    EXPECT_NEAR(found.gap, -(pin.radius + pin.half_length + thickness), 1e-12);
  }
}

TEST(NarrowPhase, RefusesPairsItDoesNotKnowByName) {
  NarrowPhase narrow;
  Manifold manifold;
  EXPECT_FALSE(NarrowPhase::supports(HalfSpace{}, HalfSpace{}));
  try {
    narrow.collide(HalfSpace{}, Pose(), HalfSpace{}, Pose(), {}, manifold);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("half-space with a half-space"), std::string::npos);
  }
}

TEST(Capsules, WhoseAxesMeetArePushedApartAcrossThem) {
  NarrowPhase narrow;
  const Shape a = Capsule{0.1, 0.5};
  const Shape b = Capsule{0.07, 0.4};
  for (const double angle : {0.0, 1e-9, 0.03, 0.7}) {
    const Pose X_WB(expMap({0.0, angle, 0.0}).toRotationMatrix(), Vector3d(0.0, 0.0, angle == 0.0 ? 0.3 : 0.0));
    const ManifoldPoint point = narrow.calcDistance(a, Pose(), b, X_WB);
    EXPECT_NEAR(point.gap, -0.17, 1e-9) << angle;
    EXPECT_NEAR(point.normal.z(), 0.0, 1e-9) << angle;
  }
}

}  // namespace
}  // namespace cornet
