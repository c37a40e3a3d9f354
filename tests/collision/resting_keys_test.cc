// Bodies at rest that tremble by 1e-9 m and 1e-9 rad keep the names of their contacts, frame after frame.
#include <gtest/gtest.h>

#include "cornet/collision/detector.h"
#include "support/random_shape.h"
#include "support/effort.h"

namespace cornet {
namespace {

using namespace test;

constexpr double kJitter = 1e-9;

struct Scene {
  Detector detector;
  std::vector<Pose> poses;
  void add(const Shape& shape, const Vector3d& place) {
    detector.addShape(static_cast<int>(poses.size()), shape, Pose());
    poses.emplace_back(Matrix3d::Identity(), place);
  }
};

// Frames in which the keys are not those of the scene at rest.
int countChanges(Scene& scene, int frames, int contacts_expected) {
  Random random(7);
  const std::vector<double> margins(scene.poses.size(), 1e-3);
  ContactSet rest, now;
  scene.detector.detect(scene.poses, margins, rest);
  EXPECT_EQ(rest.size(), contacts_expected);
  int changes = 0;
  for (int frame = 0; frame < test::effort(frames); ++frame) {
    std::vector<Pose> poses = scene.poses;
    for (std::size_t k = 1; k < poses.size(); ++k) {  // body 0 is the floor
      const Vector3d moved = poses[k].p + kJitter * randomDirection(random);
      poses[k] = Pose(expMap(kJitter * randomDirection(random)), moved);
    }
    scene.detector.detect(poses, margins, now);
    changes += now.key != rest.key;
  }
  return changes;
}

// Bricks of 2 x 1 x 1, every other course shifted by half a brick.
Scene makeWall(const Shape& floor, const Vector3d& place) {
  Scene scene;
  scene.add(floor, place);
  for (int row = 0; row < 10; ++row) {
    for (int k = 0; k < 10; ++k) scene.add(Box({1.0, 0.5, 0.5}), {2.0 * k + row % 2, 0.0, 0.5 + row});
  }
  return scene;
}

// Every brick but the last of a course touches its neighbour (4), and the one or two below (4 each).
constexpr int kWallContacts = 10 * 9 * 4 + 9 * (9 * 2 + 1) * 4 + 10 * 4;

TEST(RestingKeys, WallOnAHalfSpace) {
  Scene wall = makeWall(HalfSpace{}, Vector3d::Zero());
  EXPECT_EQ(countChanges(wall, 1000, kWallContacts), 0);
}

TEST(RestingKeys, WallOnABox) {
  Scene wall = makeWall(Box({50.0, 50.0, 1.0}), Vector3d(0.0, 0.0, -1.0));
  EXPECT_EQ(countChanges(wall, 1000, kWallContacts), 0);
}

TEST(RestingKeys, ColumnOfThirtyBoxes) {
  Scene column;
  column.add(HalfSpace{}, Vector3d::Zero());
  for (int k = 0; k < 30; ++k) column.add(Box(Vector3d::Constant(0.5)), {0.0, 0.0, 0.5 + k});
  EXPECT_EQ(countChanges(column, 1000, 30 * 4), 0);
}

}  // namespace
}  // namespace cornet
