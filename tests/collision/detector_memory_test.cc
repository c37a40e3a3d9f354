// Once buffers have their size, finding contacts takes no memory. A program of its own, because it
// replaces the allocator.
#include "cornet/collision/curved/curved_manifold.h"
#include "cornet/collision/curved/refine.h"
#include "cornet/collision/detector.h"
#include "support/allocation_counter.h"

namespace cornet {
namespace {

TEST(DetectorMemory, DetectionTakesNoMemoryAfterTheFirstTime) {
  Detector detector;
  std::vector<Pose> poses;
  for (int k = 0; k < 60; ++k) {
    const Matrix3d R = expMap(Vector3d(0.3 * k, 0.2 * k, 0.1 * k)).toRotationMatrix();
    poses.emplace_back(R, Vector3d(0.8 * (k % 4), 0.8 * (k / 4 % 4), 0.8 * (k / 16)));
    if (k % 3 == 0) detector.addShape(k, Box({0.4, 0.5, 0.4}), {});
    if (k % 3 == 1) detector.addShape(k, Capsule{0.3, 0.4}, {});
    if (k % 3 == 2) detector.addShape(k, Sphere{0.5}, {});
  }
  detector.addShape(60, HalfSpace{}, {});
  poses.emplace_back();
  const std::vector<double> margins(poses.size(), 0.05);
  ContactSet contacts;
  detector.detect(poses, margins, contacts);
  ASSERT_GT(contacts.size(), 50);
  const auto again = [&] {
    for (Pose& pose : poses) pose.p.z() += 1e-9;
    detector.detect(poses, margins, contacts);
  };
  EXPECT_EQ(test::countAllocations(again), 0);
  std::vector<Ray> rays(20, {Vector3d(-5.0, 1.0, 1.0), Vector3d(1.0, 0.1, 0.0)});
  std::vector<std::optional<DetectorHit>> hits;
  std::vector<int> near;
  const auto ask = [&] {
    detector.rayCast(poses, rays, hits);
    detector.findOverlaps(poses, Sphere{1.0}, Pose(), near);
  };
  ask();
  EXPECT_TRUE(hits[0]);
  EXPECT_EQ(test::countAllocations(ask), 0);
}

// From a direction on, contacts of round shapes are our own: coal takes memory in every call.
TEST(DetectorMemory, RoundContactsTakeNoMemoryAfterTheFirstTime) {
  const Shape box = Box({1.0, 1.0, 0.5});
  const Shape cylinder = Cylinder{0.3, 0.4};
  PlacedConvex a, b;
  Refiner refiner;
  CurvedManifold contacts;
  Manifold manifold;
  const auto touch = [&] {
    a.place(box, Pose());
    b.place(cylinder, Pose(Matrix3d::Identity(), {0.9, 0.0, 0.9}));
    Separation separation;
    separation.normal = Vector3d(1e-4, 1e-4, 1.0).normalized();
    manifold.clear();
    refiner.refine(a, b, Refiner::Search::far, separation);
    contacts.add(a, b, separation, {1e-3, 8}, manifold);
  };
  touch();
  ASSERT_GE(manifold.size(), 4u);
  EXPECT_EQ(test::countAllocations(touch), 0);
}

}  // namespace
}  // namespace cornet
