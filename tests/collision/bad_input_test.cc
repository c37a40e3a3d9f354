// Input that cannot be, each with the words it is refused with.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cornet/collision/detector.h"

namespace cornet {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class Action>
std::string refusalOf(const Action& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusalOfShape(const Shape& shape) {
  return refusalOf([&] { Detector().addShape(4, shape, Pose()); });
}

TEST(BadInput, SizesOfEveryShape) {
  EXPECT_EQ(refusalOfShape(Sphere{0.0}),
            "shape 0 (sphere) of body 4: radius = 0 m: expected a finite number > 0");
  EXPECT_EQ(refusalOfShape(Sphere{kNan}),
            "shape 0 (sphere) of body 4: radius = nan m: expected a finite number > 0");
  EXPECT_EQ(refusalOfShape(Capsule{0.1, -2.0}),
            "shape 0 (capsule) of body 4: half_length = -2 m: expected a finite number > 0");
  EXPECT_EQ(refusalOfShape(Cylinder{kInfinity, 1.0}),
            "shape 0 (cylinder) of body 4: radius = inf m: expected a finite number > 0");
  EXPECT_EQ(refusalOfShape(Cone{1.0, 0.0}),
            "shape 0 (cone) of body 4: half_length = 0 m: expected a finite number > 0");
  EXPECT_EQ(refusalOfShape(Ellipsoid{{1.0, -1.0, 1.0}}),
            "shape 0 (ellipsoid) of body 4: radii = (1, -1, 1) m: expected finite numbers > 0");
  EXPECT_EQ(refusalOfShape(Bowl{-1.0}),
            "shape 0 (bowl) of body 4: radius = -1 m: expected a finite number > 0");
  EXPECT_EQ(refusalOf([] { Box({1.0, 1.0, 0.0}); }),
            "box: half_extents = (1, 1, 0) m: expected finite numbers > 0");
  EXPECT_EQ(refusalOf([] { Box({1.0, kNan, 1.0}); }),
            "box: half_extents = (1, nan, 1) m: expected finite numbers > 0");
}

TEST(BadInput, PointsOfHulls) {
  const auto refusal = [](const std::vector<Vector3d>& points) {
    return refusalOf([&] { ConvexHull hull(points); });
  };
  EXPECT_EQ(refusal(std::vector<Vector3d>(3, Vector3d::Zero())),
            "convex hull: a convex hull of 3 points: expected at least 4");
  EXPECT_EQ(refusal(std::vector<Vector3d>(10, Vector3d(1, 2, 3))),
            "convex hull: the 10 points of the convex hull lie in one plane, or nearly so");
  EXPECT_EQ(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}}),
            "convex hull: the 5 points of the convex hull lie in one plane, or nearly so");
  EXPECT_EQ(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, kNan}}), "convex hull: point 3 is not finite");
  // Points that occur twice do not matter.
  EXPECT_EQ(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {0, 0, 0}}), "accepted");
}

TEST(BadInput, PosesOfShapesAndBodies) {
  const Pose nowhere(Matrix3d::Identity(), {0.0, kNan, 0.0});
  const Pose stretched(1.1 * Matrix3d::Identity(), Vector3d::Zero());
  const Pose mirrored(Vector3d(1, 1, -1).asDiagonal(), Vector3d::Zero());
  const auto of_shape = [](const Pose& X) {
    return refusalOf([&] { Detector().addShape(0, Sphere{}, X); });
  };
  EXPECT_EQ(of_shape(nowhere), "shape 0 (sphere) of body 0: the pose is not finite");
  EXPECT_EQ(of_shape(stretched),
            "shape 0 (sphere) of body 0: the pose is no rotation; normalise its quaternion");
  EXPECT_EQ(of_shape(mirrored),
            "shape 0 (sphere) of body 0: the pose is no rotation; normalise its quaternion");
  const auto of_body = [](const Pose& X, double margin) {
    Detector detector;
    detector.addShape(0, Box({1, 1, 1}), Pose());
    ContactSet contacts;
    return refusalOf([&] { detector.detect({&X, 1}, {&margin, 1}, contacts); });
  };
  EXPECT_EQ(of_body(nowhere, 0.0), "shape 0 (box) of body 0: the pose of the body is not finite");
  EXPECT_EQ(of_body(stretched, 0.0),
            "shape 0 (box) of body 0: the pose of the body is no rotation; normalise its quaternion");
  EXPECT_EQ(of_body(Pose(), kNan), "shape 0 (box) of body 0: margin = nan m: expected a finite number >= 0");
  EXPECT_EQ(of_body(Pose(), -1.0), "shape 0 (box) of body 0: margin = -1 m: expected a finite number >= 0");
}

TEST(BadInput, QuaternionsOfPoses) {
  const auto refusal = [](const Quaterniond& q, const Vector3d& p) {
    return refusalOf([&] { makePose(q, p); });
  };
  EXPECT_EQ(refusal(Quaterniond(2, 0, 0, 0), Vector3d::Zero()),
            "pose: quaternion (w, x, y, z) = (2, 0, 0, 0) has length 2: expected 1 to within 1e-06; normalise it");
  EXPECT_EQ(refusal(Quaterniond(0, 0, 0, 0), Vector3d::Zero()),
            "pose: quaternion (w, x, y, z) = (0, 0, 0, 0) has length 0: expected 1 to within 1e-06; normalise it");
  EXPECT_EQ(refusal(Quaterniond(kNan, 0, 0, 0), Vector3d::Zero()),
            "pose: quaternion (w, x, y, z) = (nan, 0, 0, 0) has length nan: expected 1 to within 1e-06; "
            "normalise it");
  EXPECT_EQ(refusal(Quaterniond::Identity(), {kInfinity, 0, 0}),
            "pose: position = (inf, 0, 0): expected finite numbers");
  // Seven digits are enough.
  const Pose X = makePose(Quaterniond(0.7071068, 0, 0.7071068, 0), Vector3d(1, 2, 3));
  EXPECT_LT((X.R.transpose() * X.R - Matrix3d::Identity()).norm(), 1e-15);
  EXPECT_LT((X * Vector3d::UnitX() - Vector3d(1, 2, 2)).norm(), 1e-15);
}

}  // namespace
}  // namespace cornet
