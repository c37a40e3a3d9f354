// Contacts of cylinders, cones and ellipsoids where the answer is known.
#include "cornet/collision/curved/curved_manifold.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/collision/detector.h"
#include "support/random_shapes.h"

namespace cornet {
namespace {

using test::Random;
using test::randomDirection;

const Matrix3d kUpright = Matrix3d::Identity();
// The axis z turned to x.
const Matrix3d kLying = expMap(Vector3d(0.0, std::numbers::pi / 2.0, 0.0)).toRotationMatrix();

struct CurvedPairScene {
  Shape below, above;
  Pose X_WA, X_WB;

  Manifold collide(double margin = 1e-3) const {
    NarrowPhase narrow;
    Manifold manifold;
    narrow.collideInOrder(below, X_WA, above, X_WB, {margin, 8}, manifold);
    return manifold;
  }
};

// All contacts touch, with the normal upward.
void expectTouching(const Manifold& manifold) {
  for (const ManifoldPoint& contact : manifold) {
    EXPECT_NEAR(contact.gap, 0.0, 1e-14);
    EXPECT_LT((contact.normal - Vector3d::UnitZ()).norm(), 1e-14);
    EXPECT_LT((contact.point_a - contact.point_b).norm(), 1e-13);
  }
}

const Shape kTable = Box({1.0, 1.0, 0.5});

TEST(CurvedManifold, StandingCylinderTouchesWithItsRim) {
  const CurvedPairScene scene{kTable, Cylinder{0.3, 0.4}, {}, {kUpright, {0.1, 0.2, 0.9}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 6u);
  expectTouching(manifold);
  Vector3d mean = Vector3d::Zero();
  for (const auto& contact : manifold) {
    EXPECT_NEAR((contact.point_b - Vector3d(0.1, 0.2, 0.5)).norm(), 0.3, 1e-14);
    mean += contact.point_b / 6.0;
  }
  EXPECT_LT((mean - Vector3d(0.1, 0.2, 0.5)).norm(), 1e-14);
}

TEST(CurvedManifold, OverhangingCylinderTouchesWhereTheTableEnds) {
  const CurvedPairScene scene{kTable, Cylinder{0.3, 0.4}, {}, {kUpright, {0.9, 0.0, 0.9}}};
  const Manifold manifold = scene.collide();
  ASSERT_GE(manifold.size(), 4u);
  expectTouching(manifold);
  // Where the rim crosses the edge x = 1: y = ±√(0.3² - 0.1²).
  int crossings = 0;
  for (const auto& contact : manifold) {
    EXPECT_LT(contact.point_a.x(), 1.0 + 1e-14);
    if (contact.point_a.x() < 1.0 - 1e-9) continue;
    EXPECT_NEAR(std::abs(contact.point_a.y()), std::sqrt(0.08), 1e-14);
    ++crossings;
  }
  EXPECT_EQ(crossings, 2);
}

TEST(CurvedManifold, CylinderWiderThanTheTableTouchesItsCorners) {
  const CurvedPairScene scene{Box({0.2, 0.3, 0.5}), Cylinder{1.0, 0.4}, {}, {kUpright, {0.1, 0.0, 0.9}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 4u);
  expectTouching(manifold);
  for (const auto& contact : manifold) {
    EXPECT_NEAR(std::abs(contact.point_a.x()), 0.2, 1e-15);
    EXPECT_NEAR(std::abs(contact.point_a.y()), 0.3, 1e-15);
  }
}

TEST(CurvedManifold, LyingCylinderTouchesAtTheEndsOfItsSide) {
  const CurvedPairScene scene{kTable, Cylinder{0.3, 0.4}, {}, {kLying, {0.1, 0.2, 0.8}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 2u);
  expectTouching(manifold);
  for (const auto& contact : manifold) {
    EXPECT_NEAR(std::abs(contact.point_b.x() - 0.1), 0.4, 1e-14);
    EXPECT_NEAR(contact.point_b.y(), 0.2, 1e-14);
  }
}

TEST(CurvedManifold, LyingCylinderThatOverhangsTouchesAtTheEdge) {
  const CurvedPairScene scene{kTable, Cylinder{0.3, 0.4}, {}, {kLying, {0.9, 0.2, 0.8}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 2u);
  expectTouching(manifold);
  std::vector<double> x = {manifold[0].point_b.x(), manifold[1].point_b.x()};
  std::ranges::sort(x);
  EXPECT_NEAR(x[0], 0.5, 1e-14);
  EXPECT_NEAR(x[1], 1.0, 1e-14);
}

TEST(CurvedManifold, CrossedCylindersTouchAtOnePoint) {
  const Matrix3d across = expMap(Vector3d(std::numbers::pi / 2.0, 0.0, 0.0)).toRotationMatrix();
  const CurvedPairScene scene{Cylinder{0.3, 1.0}, Cylinder{0.2, 1.0}, {kLying, Vector3d::Zero()},
                    {across, {0.1, 0.2, 0.5}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 1u);
  expectTouching(manifold);
  EXPECT_LT((manifold[0].point_a - Vector3d(0.1, 0.0, 0.3)).norm(), 1e-14);
}

TEST(CurvedManifold, ParallelCylindersTouchAlongTheirCommonLength) {
  for (const double turn : {0.0, 1e-12, 1e-9, 1e-6}) {
    const Matrix3d turned = expMap(Vector3d(0.0, 0.0, turn)).toRotationMatrix() * kLying;
    const CurvedPairScene scene{Cylinder{0.3, 1.0}, Cylinder{0.2, 1.0}, {kLying, Vector3d::Zero()},
                      {turned, {0.5, 0.0, 0.5}}};
    const Manifold manifold = scene.collide();
    ASSERT_EQ(manifold.size(), 2u) << turn;
    std::vector<double> x = {manifold[0].point_b.x(), manifold[1].point_b.x()};
    std::ranges::sort(x);
    EXPECT_NEAR(x[0], -0.5, 1e-6);
    EXPECT_NEAR(x[1], 1.0, 1e-6);
    for (const auto& contact : manifold) EXPECT_NEAR(contact.gap, 0.0, 4.0 * turn * turn + 1e-14);
  }
}

TEST(CurvedManifold, CylinderAndCapsuleSideBySideTouchAtTwoPoints) {
  const CurvedPairScene scene{Cylinder{0.3, 1.0}, Capsule{0.2, 0.4}, {kLying, Vector3d::Zero()},
                    {kLying, {0.2, 0.0, 0.5}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 2u);
  expectTouching(manifold);
  EXPECT_NEAR(std::abs(manifold[0].point_b.x() - manifold[1].point_b.x()), 0.8, 1e-14);
}

TEST(CurvedManifold, StackedCylindersTouchOnTheSmallerDisc) {
  const CurvedPairScene scene{Cylinder{0.5, 0.3}, Cylinder{0.2, 0.4}, {}, {kUpright, {0.1, 0.0, 0.7}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 6u);
  expectTouching(manifold);
  for (const auto& contact : manifold) {
    EXPECT_NEAR((contact.point_b - Vector3d(0.1, 0.0, 0.3)).norm(), 0.2, 1e-14);
  }
}

TEST(CurvedManifold, DisplacedCylindersTouchWithinBothDiscs) {
  const CurvedPairScene scene{Cylinder{0.5, 0.3}, Cylinder{0.5, 0.4}, {}, {kUpright, {0.6, 0.0, 0.7}}};
  const Manifold manifold = scene.collide();
  ASSERT_GE(manifold.size(), 3u);
  expectTouching(manifold);
  int crossings = 0;
  for (const auto& contact : manifold) {
    EXPECT_LE(std::hypot(contact.point_b.x(), contact.point_b.y()), 0.5 + 1e-7);
    EXPECT_LE(std::hypot(contact.point_b.x() - 0.6, contact.point_b.y()), 0.5 + 1e-7);
    crossings += std::abs(contact.point_b.x() - 0.3) < 1e-9;
  }
  EXPECT_EQ(crossings, 2);  // at (0.3, ±0.4)
}

TEST(CurvedManifold, ConeStandsOnItsRimAndLiesOnItsSide) {
  const Cone cone{0.3, 0.4};
  const CurvedPairScene standing{kTable, cone, {}, {kUpright, {0.1, 0.0, 0.9}}};
  ASSERT_EQ(standing.collide().size(), 6u);
  expectTouching(standing.collide());
  // Turned until the side is level: its slope is 0.3 / 0.8.
  const double angle = std::numbers::pi / 2.0 + std::atan2(0.3, 0.8);
  const Matrix3d R = expMap(Vector3d(0.0, angle, 0.0)).toRotationMatrix();
  const double lowest = (R * Vector3d(0.0, 0.0, 0.4)).z();
  const CurvedPairScene lying{kTable, cone, {}, {R, {0.0, 0.0, 0.5 - lowest}}};
  const Manifold manifold = lying.collide();
  ASSERT_EQ(manifold.size(), 2u);
  expectTouching(manifold);
  EXPECT_NEAR((manifold[0].point_b - manifold[1].point_b).norm(), std::hypot(0.3, 0.8), 1e-14);
}

TEST(CurvedManifold, ConeTouchesWithItsApex) {
  const Matrix3d R = expMap(Vector3d(std::numbers::pi, 0.0, 0.0)).toRotationMatrix();
  const CurvedPairScene scene{kTable, Cone{0.3, 0.4}, {}, {R, {0.1, 0.0, 0.9}}};
  const Manifold manifold = scene.collide();
  ASSERT_EQ(manifold.size(), 1u);
  expectTouching(manifold);
}

TEST(CurvedManifold, EllipsoidTouchesACorner) {
  const Vector3d corner(1.0, 1.0, 0.5);
  const Vector3d radii(0.3, 0.4, 0.5);
  const Vector3d n = Vector3d(1.0, 1.0, 1.0).normalized();
  const Vector3d support = radii.cwiseProduct(radii.cwiseProduct(-n).normalized());
  for (const double gap : {-1e-3, 0.0, 1e-3}) {
    const CurvedPairScene scene{kTable, Ellipsoid{radii}, {}, {kUpright, corner - support + gap * n}};
    const Manifold manifold = scene.collide(1e-2);
    ASSERT_EQ(manifold.size(), 1u);
    if (gap < 0.0) continue;  // a corner inside is pushed out another way
    EXPECT_NEAR(manifold[0].gap, gap, 1e-14);
    EXPECT_LT((manifold[0].point_a - corner).norm(), 1e-14);
    EXPECT_LT((manifold[0].normal - n).norm(), 1e-8);
  }
}

TEST(CurvedManifold, PointsWithinTheMarginAreReportedWithTheirOwnGaps) {
  const double tilt = 0.01;
  const Matrix3d R = expMap(Vector3d(0.0, tilt, 0.0)).toRotationMatrix();
  const CurvedPairScene scene{kTable, Cylinder{0.3, 0.4}, {}, {R, {0.0, 0.0, 0.5 + 0.4 * std::cos(tilt) + 0.3 * std::sin(tilt)}}};
  const Manifold few = scene.collide(1e-4);
  const Manifold all = scene.collide(0.1);
  EXPECT_EQ(few.size(), 1u);
  ASSERT_EQ(all.size(), 6u);
  double least = 1.0, most = 0.0;
  for (const auto& contact : all) {
    least = std::min(least, contact.gap);
    most = std::max(most, contact.gap);
  }
  EXPECT_NEAR(least, 0.0, 1e-14);
  EXPECT_NEAR(most, 0.6 * std::sin(tilt), 1e-14);
}

TEST(CurvedManifold, KeysSurviveJitter) {
  Random random(31);
  const std::vector<CurvedPairScene> scenes = {
      {kTable, Cylinder{0.3, 0.4}, {}, {kUpright, {0.1, 0.2, 0.9}}},
      {kTable, Cylinder{0.3, 0.4}, {}, {kUpright, {0.9, 0.0, 0.9}}},
      {kTable, Cylinder{0.3, 0.4}, {}, {kLying, {0.9, 0.2, 0.8}}},
      {kTable, Cone{0.3, 0.4}, {}, {kUpright, {0.1, 0.2, 0.9}}},
      {Cylinder{0.5, 0.3}, Cylinder{0.5, 0.4}, {}, {kUpright, {0.0, 0.0, 0.7}}},
      {Cylinder{0.3, 1.0}, Cylinder{0.2, 1.0}, {kLying, Vector3d::Zero()}, {kLying, {0.5, 0.0, 0.5}}},
      {kTable, Ellipsoid{{0.3, 0.4, 0.5}}, {}, {kUpright, {0.0, 0.0, 1.0}}}};
  for (std::size_t which = 0; which < scenes.size(); ++which) {
    std::vector<std::uint64_t> before;
    for (int frame = 0; frame < 300; ++frame) {
      CurvedPairScene scene = scenes[which];
      const auto shake = [&](Pose& X) {
        X = Pose(expMap(Vector3d(1e-9 * randomDirection(random))).toRotationMatrix() * X.R,
                 X.p + 1e-9 * randomDirection(random));
      };
      shake(scene.X_WA);
      shake(scene.X_WB);
      std::vector<std::uint64_t> keys;
      for (const auto& contact : scene.collide()) keys.push_back(contact.key);
      if (frame == 0) before = keys;
      ASSERT_EQ(keys, before) << "scene " << which << " frame " << frame;
    }
    EXPECT_FALSE(before.empty()) << which;
  }
}

// Refreshed contacts are those that detection finds at the new poses.
TEST(CurvedManifold, RefreshFollowsARockingCylinder) {
  Detector detector;
  detector.addShape(0, kTable, {});
  detector.addShape(1, Cylinder{0.3, 0.4}, {});
  std::vector<Pose> poses = {Pose(), Pose(kUpright, {0.0, 0.0, 0.9})};
  const std::vector<double> margins = {0.01, 0.01};
  ContactSet contacts, again;
  detector.detect(poses, margins, contacts);
  ASSERT_EQ(contacts.size(), 6);
  poses[1] = Pose(expMap(Vector3d(1e-3, 2e-3, 0.3)), Vector3d(0.01, 0.02, 0.901));
  detector.refresh(poses, contacts);
  detector.detect(poses, margins, again);
  for (int k = 0; k < contacts.size(); ++k) {
    const auto place = std::ranges::find(again.key, contacts.key[k]);
    ASSERT_NE(place, again.key.end());
    EXPECT_NEAR(contacts.gap[k], again.gap[place - again.key.begin()], 1e-12);
  }
}

}  // namespace
}  // namespace cornet
