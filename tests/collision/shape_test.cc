#include "cornet/collision/shape.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace cornet {
namespace {

std::vector<Vector3d> cubeCorners(double half) {
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k) {
    corners.emplace_back(k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half);
  }
  return corners;
}

std::vector<Vector3d> randomPoints(std::mt19937& random, int count) {
  std::normal_distribution<double> normal;
  std::vector<Vector3d> points;
  for (int k = 0; k < count; ++k) points.emplace_back(normal(random), normal(random), normal(random));
  return points;
}

std::vector<Shape> allBounded() {
  std::mt19937 random(3);
  return {Sphere{0.7},        Box({0.5, 0.3, 0.2}),           Capsule{0.3, 0.6},
          Cylinder{0.4, 0.5}, Cone{0.4, 0.5},                 Ellipsoid{{0.5, 0.4, 0.3}},
          ConvexHull(randomPoints(random, 30))};
}

// The definition of each shape, point by point.
bool isInside(const Shape& shape, const Vector3d& x) {
  const double across = std::hypot(x.x(), x.y());
  if (const Sphere* s = std::get_if<Sphere>(&shape)) return x.norm() <= s->radius;
  if (const Box* s = std::get_if<Box>(&shape)) return (x.cwiseAbs().array() <= s->half().array()).all();
  if (const Capsule* s = std::get_if<Capsule>(&shape)) {
    const double beyond = std::max(0.0, std::abs(x.z()) - s->half_length);
    return std::hypot(across, beyond) <= s->radius;
  }
  if (const Cylinder* s = std::get_if<Cylinder>(&shape)) {
    return across <= s->radius && std::abs(x.z()) <= s->half_length;
  }
  if (const Cone* s = std::get_if<Cone>(&shape)) {
    return std::abs(x.z()) <= s->half_length &&
           across <= s->radius * (s->half_length - x.z()) / (2.0 * s->half_length);
  }
  if (const Ellipsoid* s = std::get_if<Ellipsoid>(&shape)) return x.cwiseQuotient(s->radii).norm() <= 1.0;
  for (const auto& face : std::get<ConvexHull>(shape).polyhedron().faces()) {
    if (face.normal.dot(x) > face.offset) return false;
  }
  return true;
}

TEST(Shape, VolumeCentreAndInertiaAreThoseOfASample) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const Shape& shape : allBounded()) {
    const Bounds bounds = calcBounds(shape, Pose());
    const Vector3d half = 0.5 * (bounds.upper - bounds.lower);
    const Vector3d middle = 0.5 * (bounds.upper + bounds.lower);
    constexpr int kSamples = 200000;
    int inside = 0;
    Vector3d first = Vector3d::Zero();
    Matrix3d second = Matrix3d::Zero();
    for (int k = 0; k < kSamples; ++k) {
      const Vector3d x =
          middle + half.cwiseProduct(Vector3d(unit(random), unit(random), unit(random)));
      if (!isInside(shape, x)) continue;
      ++inside;
      first += x;
      second += x * x.transpose();
    }
    const double cell = 8.0 * half.prod() / kSamples;
    const VolumeProperties exact = calcVolumeProperties(shape);
    EXPECT_NEAR(cell * inside / exact.volume, 1.0, 0.01) << nameOf(shape);
    const Vector3d centre = first / inside;
    EXPECT_LT((centre - exact.centre).norm(), 0.01) << nameOf(shape);
    const Matrix3d about = second / inside - centre * centre.transpose();
    const Matrix3d inertia = about.trace() * Matrix3d::Identity() - about;
    EXPECT_LT((inertia - exact.inertia / exact.volume).norm(), 0.02 * inertia.norm())
        << nameOf(shape);
  }
}

TEST(Shape, CapsuleIsASphereWhenItHasNoLengthAndACylinderWhenItIsThin) {
  const VolumeProperties ball = calcVolumeProperties(Sphere{0.5});
  const VolumeProperties almost = calcVolumeProperties(Capsule{0.5, 1e-12});
  EXPECT_NEAR(almost.volume, ball.volume, 1e-11);
  EXPECT_LT((almost.inertia - ball.inertia).norm(), 1e-11);
  const VolumeProperties thin = calcVolumeProperties(Capsule{1e-5, 1.0});
  const VolumeProperties rod = calcVolumeProperties(Cylinder{1e-5, 1.0});
  EXPECT_NEAR(thin.volume / rod.volume, 1.0, 1e-4);
  EXPECT_NEAR(thin.inertia(0, 0) / rod.inertia(0, 0), 1.0, 1e-4);
}

TEST(Shape, HullOfACubeIsTheCube) {
  const auto corners = cubeCorners(0.5);
  const ConvexHull hull(corners);
  EXPECT_EQ(hull.polyhedron().vertices().size(), 8u);
  EXPECT_EQ(hull.polyhedron().faces().size(), 6u);
  EXPECT_EQ(hull.polyhedron().edges().size(), 12u);
  const VolumeProperties properties = calcVolumeProperties(hull);
  EXPECT_NEAR(properties.volume, 1.0, 1e-15);
  EXPECT_LT(properties.centre.norm(), 1e-15);
  EXPECT_LT((properties.inertia - Matrix3d::Identity() / 6.0).norm(), 1e-15);
  for (const auto& face : hull.polyhedron().faces()) {
    EXPECT_NEAR(face.offset, 0.5, 1e-15);
    EXPECT_NEAR(face.normal.cwiseAbs().maxCoeff(), 1.0, 1e-15);
  }
}

TEST(Shape, HullOfManyPointsHoldsThemAll) {
  std::mt19937 random(7);
  const auto points = randomPoints(random, 200);
  const ConvexHull hull(points);
  const Polyhedron& polyhedron = hull.polyhedron();
  for (const auto& face : polyhedron.faces()) {
    for (const Vector3d& x : points) EXPECT_LE(face.normal.dot(x) - face.offset, 1e-12);
  }
  const auto v = static_cast<int>(polyhedron.vertices().size());
  const auto e = static_cast<int>(polyhedron.edges().size());
  const auto f = static_cast<int>(polyhedron.faces().size());
  EXPECT_EQ(v - e + f, 2);  // Euler
}

TEST(Shape, BoundsTouchTheShape) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  for (const Shape& shape : allBounded()) {
    const Pose X(Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized(),
                 Vector3d(1.0, -2.0, 3.0));
    const Bounds bounds = calcBounds(shape, X);
    for (int k = 0; k < 3; ++k) {
      const Vector3d d = X.R.transpose() * Vector3d::Unit(k);
      EXPECT_NEAR(bounds.upper[k], (X * calcSupport(shape, d))[k], 1e-14) << nameOf(shape);
      EXPECT_NEAR(bounds.lower[k], (X * calcSupport(shape, -d))[k], 1e-14) << nameOf(shape);
    }
  }
}

TEST(Shape, ImpossibleSizesAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Box({0.5, 0.0, 0.5}), std::invalid_argument);
  EXPECT_THROW(Box({0.5, nan, 0.5}), std::invalid_argument);
  EXPECT_THROW(validate(Sphere{-1.0}, "ball"), std::invalid_argument);
  EXPECT_THROW(validate(Capsule{0.1, 0.0}, "pin"), std::invalid_argument);
  EXPECT_THROW(validate(Ellipsoid{{1.0, 1.0, nan}}, "egg"), std::invalid_argument);
  EXPECT_THROW(validate(Cone{std::numeric_limits<double>::infinity(), 1.0}, "hat"),
               std::invalid_argument);
  try {
    validate(Cylinder{0.0, 1.0}, "shape 3 of body can");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "shape 3 of body can: radius = 0 m: expected a finite number > 0");
  }
  EXPECT_THROW(calcVolumeProperties(HalfSpace{}), std::invalid_argument);
}

TEST(Shape, HullsThatAreNoneAreRefused) {
  std::vector<Vector3d> flat;
  for (int k = 0; k < 10; ++k) flat.emplace_back(std::cos(k), std::sin(k), 0.0);
  EXPECT_THROW(ConvexHull{flat}, std::invalid_argument);
  EXPECT_THROW(ConvexHull{std::vector<Vector3d>(3, Vector3d::Zero())}, std::invalid_argument);
  EXPECT_THROW(ConvexHull{std::vector<Vector3d>(10, Vector3d(1, 2, 3))}, std::invalid_argument);
  std::vector<Vector3d> broken = cubeCorners(1.0);
  broken[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ConvexHull{broken}, std::invalid_argument);
  std::vector<Vector3d> twice = cubeCorners(1.0);
  const auto again = twice;
  twice.insert(twice.end(), again.begin(), again.end());
  EXPECT_EQ(ConvexHull(twice).polyhedron().vertices().size(), 8u);  // duplicates do not matter
}

}  // namespace
}  // namespace cornet
