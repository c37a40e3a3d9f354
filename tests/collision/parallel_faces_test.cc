// Boxes on boxes, faces parallel to within 0 to 1e-3 rad: the support polygon, which is what carries a stack,
// moves as far as the boxes do, and turns with the pair.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cornet/collision/narrow_phase.h"
#include "support/effort.h"
#include "support/random_shape.h"

namespace cornet {
namespace {

using namespace test;

using Polygon = std::vector<Vector2d>;

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

// Corners of the convex hull, counterclockwise.
Polygon makeHull(Polygon points) {
  std::ranges::sort(points, [](const Vector2d& a, const Vector2d& b) {
    return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y());
  });
  Polygon hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t base = hull.size();
    for (const Vector2d& p : points) {
      while (hull.size() >= base + 2 && cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0.0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    hull.pop_back();
    std::ranges::reverse(points);
  }
  return hull;
}

double distanceTo(const Polygon& hull, const Vector2d& x) {
  bool inside = hull.size() > 2;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const Vector2d& a = hull[k];
    const Vector2d d = hull[(k + 1) % hull.size()] - a;
    inside = inside && cross(d, x - a) >= 0.0;
    const double t = std::clamp((x - a).dot(d) / d.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (x - a - t * d).norm());
  }
  return inside ? 0.0 : least;
}

// Hausdorff distance of two convex polygons: the largest at a corner.
double calcHausdorff(const Polygon& p, const Polygon& q) {
  double largest = 0.0;
  for (const Vector2d& x : p) largest = std::max(largest, distanceTo(q, x));
  for (const Vector2d& x : q) largest = std::max(largest, distanceTo(p, x));
  return largest;
}

struct Stack {
  Box a{Vector3d::Ones()}, b{Vector3d::Ones()};
  Vector2d offset = Vector2d::Zero();
  double gap = 0.0, turn = 0.0, lean = 0.0, tilt = 0.0;

  // B over A, which stands at the origin; its lowest corner `gap` above A's face.
  Pose poseOfB() const {
    const Matrix3d R = expMap(tilt * Vector3d(std::cos(lean), std::sin(lean), 0.0)).toRotationMatrix() *
                       expMap(Vector3d(0.0, 0.0, turn)).toRotationMatrix();
    double lowest = 0.0;
    for (const Vector3d& v : b.polyhedron().vertices()) lowest = std::min(lowest, (R * v).z());
    return {R, {offset.x(), offset.y(), a.half().z() + gap - lowest}};
  }
};

Stack drawStack(Random& random, double tilt, double gap) {
  Stack stack;
  const SizeRange sizes{0.2, 1.0};
  stack.a = Box(sizes.drawThree(random));
  stack.b = Box(sizes.drawThree(random));
  stack.offset.x() = uniform(random, -0.4, 0.4) * stack.a.half().x();
  stack.offset.y() = uniform(random, -0.4, 0.4) * stack.a.half().y();
  stack.turn = uniform(random, 0.0, 6.3);
  stack.lean = uniform(random, 0.0, 6.3);
  stack.tilt = tilt;
  stack.gap = gap;
  return stack;
}

// In the frame of A.
Polygon supportOf(const Manifold& manifold, const Pose& X_WA) {
  Polygon points;
  for (const ManifoldPoint& contact : manifold) {
    points.push_back((X_WA.R.transpose() * (contact.point_a - X_WA.p)).head<2>());
  }
  return makeHull(points);
}

constexpr ManifoldOptions kAll{0.05, 8};

class NearlyParallel : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Within, NearlyParallel, testing::Values(0.0, 1e-12, 1e-9, 1.4e-7, 1e-5, 1e-3),
                         [](const auto& of) {
                           std::string name = fmt::format("{:g}_rad", of.param);
                           std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// Slid, turned and leant in steps of about 0.1 mm, tilting to and fro through parallel. Every other path takes
// equal boxes through the pose in which all their edges coincide.
TEST_P(NearlyParallel, TheSupportPolygonMovesAsFarAsTheBoxes) {
  Random random(3);
  NarrowPhase narrow;
  Manifold manifold;
  double worst = 0.0;
  int fewest = 8;
  constexpr int kSteps = 600;
  for (int path = 0; path < 90; ++path) {
    const double gap = path % 3 == 0 ? 0.0 : path % 3 == 1 ? -1e-3 : 1e-3;
    Stack stack = drawStack(random, GetParam(), gap);
    const double heading = uniform(random, 0.0, 6.3);
    const double spin = path % 5 == 0 ? 0.0 : uniform(random, -1.0, 1.0);
    const Vector2d slide = 1e-4 * Vector2d(std::cos(heading), std::sin(heading));
    if (path % 2 == 1) {
      stack.b = stack.a;
      stack.offset = -kSteps / 2 * slide;
      stack.turn = -kSteps / 2 * 1e-4 * spin;
    }
    Polygon before;
    Pose X_before;
    for (int step = 0; step < kSteps; ++step) {
      stack.offset += slide;
      stack.turn += 1e-4 * spin;
      stack.lean += 1e-2 * spin;
      stack.tilt = GetParam() * std::cos(0.05 * step);
      const Pose X = stack.poseOfB();
      narrow.collide(stack.a, Pose(), stack.b, X, kAll, manifold);
      fewest = std::min(fewest, static_cast<int>(manifold.size()));
      ASSERT_GE(manifold.size(), 3u) << "path " << path << " step " << step;
      const Polygon now = supportOf(manifold, Pose());
      double moved = 0.0;
      for (const Vector3d& v : stack.b.polyhedron().vertices()) {
        moved = std::max(moved, (X * v - X_before * v).norm());
      }
      if (step > 0) worst = std::max(worst, calcHausdorff(now, before) / moved);
      before = now;
      X_before = X;
    }
  }
  RecordProperty("largest_jump_per_step", fmt::format("{:.3f}", worst));
  EXPECT_LT(worst, 2.0);
  EXPECT_GE(fewest, 3);
}

TEST_P(NearlyParallel, ResultsTurnAndMoveWithThePair) {
  Random random(5);
  NarrowPhase narrow;
  Manifold here, there;
  double worst_gap = 0.0, worst_normal = 0.0, worst_support = 0.0;
  for (int k = 0; k < test::effort(3000); ++k) {
    const double gap = (k % 3 - 1) * std::pow(10.0, uniform(random, -9.0, -2.0));
    const Stack stack = drawStack(random, GetParam(), gap);
    const Pose X_AB = stack.poseOfB();
    const double far = k % 2 == 0 ? 1.0 : 1e4;
    const Pose X(randomRotation(random), far * randomDirection(random));
    const double allowed = 1e-12 + 4e-15 * X.p.norm();
    narrow.collideInOrder(stack.a, Pose(), stack.b, X_AB, kAll, here);
    narrow.collideInOrder(stack.a, X, stack.b, X * X_AB, kAll, there);
    const auto deepest = [](const Manifold& m) { return std::ranges::min(m, {}, &ManifoldPoint::gap).gap; };
    worst_gap = std::max(worst_gap, std::abs(deepest(here) - deepest(there)) / allowed);
    worst_normal = std::max(worst_normal, (X.R * here[0].normal - there[0].normal).norm() / allowed);
    const double apart = calcHausdorff(supportOf(here, Pose()), supportOf(there, X));
    worst_support = std::max(worst_support, apart / allowed);
  }
  RecordProperty("gap", fmt::format("{:.2g}", worst_gap));
  RecordProperty("normal", fmt::format("{:.2g}", worst_normal));
  RecordProperty("support_polygon", fmt::format("{:.2g}", worst_support));
  EXPECT_LT(worst_gap, 1.0);
  EXPECT_LT(worst_normal, 1.0);
  EXPECT_LT(worst_support, 1.0);
}

}  // namespace
}  // namespace cornet
