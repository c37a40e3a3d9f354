// The inside of a sphere. Distances are compared with a search over the surface of the other shape.
#include "cornet/collision/bowl.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/collision/detector.h"
#include "support/effort.h"
#include "support/mirrored.h"

namespace cornet {
namespace {

using namespace test;

class InBowl : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Of, InBowl, testing::Values("sphere", "capsule", "box", "hull"),
                         [](const auto& of) { return of.param; });

// How far a shape reaches from c: uphill from many directions, each time to the furthest point that way.
double searchFurthest(const Shape& shape, const Pose& X_WS, const Vector3d& c, Random& random) {
  double furthest = 0.0;
  for (int start = 0; start < 300; ++start) {
    Vector3d d = start == 0 ? Vector3d((X_WS.p - c).normalized()) : randomDirection(random);
    for (double before = -1.0, reached = 0.0; reached > before;) {
      const Vector3d x = X_WS * calcSupport(shape, X_WS.R.transpose() * d);
      before = reached;
      reached = (x - c).norm();
      d = (x - c).normalized();
      furthest = std::max(furthest, reached);
    }
  }
  return furthest;
}

TEST_P(InBowl, DistanceIsThatOfASearchOverTheSurface) {
  Random random(3);
  NarrowPhase narrow;
  for (int k = 0; k < test::effort(1000); ++k) {
    const Shape shape = makeShape(GetParam(), random);
    const Bowl bowl{uniform(random, 1.0, 4.0)};
    const Pose X_WA(randomRotation(random), Vector3d(3.0, -2.0, 1.0));
    const Pose X_WB(randomRotation(random), X_WA.p + uniform(random, 0.0, 4.0) * randomDirection(random));
    const ManifoldPoint found = narrow.calcDistance(bowl, X_WA, shape, X_WB);
    EXPECT_NEAR(found.gap, bowl.radius - searchFurthest(shape, X_WB, X_WA.p, random), 2e-13);
    EXPECT_EQ(found.gap <= 0.0, overlap(shape, X_WB, bowl, X_WA));
  }
}

TEST_P(InBowl, PointsAreOnBothSurfacesAndNormalsPointToTheCentre) {
  Random random(4);
  NarrowPhase narrow;
  Manifold manifold;
  int contacts = 0;
  for (int k = 0; k < test::effort(2000); ++k) {
    const Shape shape = makeShape(GetParam(), random);
    const Bowl bowl{uniform(random, 1.0, 4.0)};
    const Pose X_WA(randomRotation(random), Vector3d(3.0, -2.0, 1.0));
    const Pose X_WB(randomRotation(random), X_WA.p + uniform(random, 0.0, 4.0) * randomDirection(random));
    narrow.collide(bowl, X_WA, shape, X_WB, {0.3, 8}, manifold);
    for (const ManifoldPoint& contact : manifold) {
      ++contacts;
      EXPECT_LE(contact.gap, 0.3);
      EXPECT_NEAR((contact.point_a - X_WA.p).norm(), bowl.radius, 1e-13);
      EXPECT_NEAR(test::level(shape, X_WB, contact.point_b), 0.0, 1e-13);
      EXPECT_LT((contact.point_a + bowl.radius * contact.normal - X_WA.p).norm(), 1e-13);
      EXPECT_LT((contact.point_b - contact.point_a - contact.gap * contact.normal).norm(), 1e-13);
    }
  }
  EXPECT_GT(contacts, test::effort(1000));
}

TEST_P(InBowl, SwappingTheShapesMirrorsTheResultExactly) {
  Random random(5);
  NarrowPhase narrow;
  Manifold one, other;
  for (int k = 0; k < 300; ++k) {
    const Shape shape = makeShape(GetParam(), random);
    const Shape bowl = Bowl{uniform(random, 1.0, 4.0)};
    const Pose X_WA(randomRotation(random), randomDirection(random));
    const Pose X_WB(randomRotation(random), randomDirection(random));
    narrow.collide(bowl, X_WA, shape, X_WB, {1.0, 8}, one);
    narrow.collide(shape, X_WB, bowl, X_WA, {1.0, 8}, other);
    expectMirrored(one, other);
  }
}

TEST_P(InBowl, ContactsAreFoundAgainAtOtherPoses) {
  Random random(6);
  for (int k = 0; k < 300; ++k) {
    Detector detector;
    detector.addShape(0, makeShape(GetParam(), random), Pose());
    detector.addShape(1, Bowl{1.5}, Pose(randomRotation(random), Vector3d::Zero()));
    const auto draw = [&] {
      return Pose(randomRotation(random), uniform(random, 0.0, 0.5) * randomDirection(random));
    };
    std::vector<Pose> poses = {draw(), draw()};
    ContactSet contacts, afresh;
    detector.detect(poses, std::vector<double>{10.0, 10.0}, contacts);
    poses = {draw(), draw()};
    detector.refresh(poses, contacts);
    detector.detect(poses, std::vector<double>{10.0, 10.0}, afresh);
    for (int i = 0; i < contacts.size(); ++i) {
      const auto place = std::ranges::find(afresh.key, contacts.key[i]);
      if (place == afresh.key.end()) continue;  // one of more corners than a manifold has
      const auto j = place - afresh.key.begin();
      EXPECT_EQ(contacts.shape_a[i], 1);
      EXPECT_NEAR(contacts.gap[i], afresh.gap[j], 1e-14);
      EXPECT_LT((contacts.point_a[i] - afresh.point_a[j]).norm(), 1e-13);
      EXPECT_LT((contacts.normal[i] - afresh.normal[j]).norm(), 1e-12);
    }
  }
}

TEST(Bowl, SeesABallHoweverFarOutAndAtTheCentre) {
  Detector detector;
  detector.addShape(0, Sphere{0.1}, Pose());
  detector.addShape(1, Bowl{1.0}, Pose());
  ContactSet contacts;
  const std::vector<double> margins = {0.0, 0.0};
  detector.detect(std::vector<Pose>{{Matrix3d::Identity(), {0.0, 0.0, -50.0}}, {}}, margins, contacts);
  ASSERT_EQ(contacts.size(), 1);
  EXPECT_NEAR(contacts.gap[0], -49.1, 1e-13);
  EXPECT_EQ(contacts.normal[0], Vector3d(0.0, 0.0, 1.0));
  const ManifoldPoint centred = calcDistance(Bowl{1.0}, Pose(), Sphere{0.1}, Pose());
  EXPECT_NEAR(centred.gap, 0.9, 1e-15);
  EXPECT_NEAR(centred.normal.norm(), 1.0, 1e-15);
}

TEST(Bowl, IsRefusedByNameWhereItHasNoRoutine) {
  for (const Shape& shape :
       {Shape(Cylinder{}), Shape(Cone{}), Shape(Ellipsoid{}), Shape(HalfSpace{}), Shape(Bowl{})}) {
    EXPECT_FALSE(NarrowPhase::supports(Bowl{}, shape));
    EXPECT_FALSE(NarrowPhase::supports(shape, Bowl{}));
    try {
      calcDistance(shape, Pose(), Bowl{}, Pose());
      ADD_FAILURE() << nameOf(shape) << " was taken";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(nameOf(shape)), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("bowl"), std::string::npos);
    }
  }
  EXPECT_THROW(calcVolumeProperties(Bowl{}), std::invalid_argument);
}

TEST(Bowl, RaysHitWhereTheyLeaveTheHollow) {
  Random random(8);
  for (int k = 0; k < 1000; ++k) {
    const double radius = uniform(random, 0.1, 10.0);
    const Pose X(randomRotation(random), randomDirection(random));
    const Vector3d o = uniform(random, 0.0, 0.99) * radius * randomDirection(random);
    const Vector3d d = randomDirection(random);
    double low = 0.0, high = 2.0 * radius;
    for (int step = 0; step < 100; ++step) {
      const double middle = 0.5 * (low + high);
      ((o + middle * d).norm() < radius ? low : high) = middle;
    }
    const auto hit = rayCast(Bowl{radius}, X, {X * o, X.R * d});
    ASSERT_TRUE(hit && !hit->inside);
    EXPECT_NEAR(hit->distance, high, 1e-13 * radius / (o + high * d).normalized().dot(d));
    EXPECT_LT((hit->normal + X.R * (o + high * d) / radius).norm(), 1e-11);
    EXPECT_FALSE(rayCast(Bowl{radius}, X, {X * o, X.R * d, 0.9 * high}));
    const auto outside = rayCast(Bowl{radius}, X, {X * Vector3d(o + 1.01 * high * d), X.R * d});
    ASSERT_TRUE(outside && outside->inside);
    EXPECT_EQ(outside->distance, 0.0);
  }
}

}  // namespace
}  // namespace cornet
