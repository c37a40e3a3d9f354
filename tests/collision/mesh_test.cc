// Surfaces of triangles: a floor acts as one plane however it is cut up, a closed convex mesh acts as the
// convex body it bounds, ridges carry and valleys do not catch.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "cornet/collision/detector.h"
#include "support/effort.h"
#include "support/random_shapes.h"

namespace cornet {
namespace {

using test::Random;
using test::randomRotation;
using test::uniform;

// A flat floor of 2 n² triangles over [-1, 1]², its inner points moved about in the plane.
TriangleMesh makeFloor(int n, Random& random) {
  std::vector<Vector3d> vertices;
  std::vector<int> triangles;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) {
      const bool inner = i > 0 && j > 0 && i < n && j < n;
      const double jitter = inner ? 0.3 * 2.0 / n : 0.0;
      vertices.emplace_back(2.0 * i / n - 1.0 + uniform(random, -jitter, jitter),
                            2.0 * j / n - 1.0 + uniform(random, -jitter, jitter), 0.0);
      if (i == n || j == n) continue;
      const int c = j * (n + 1) + i;
      for (const int v : {c, c + 1, c + n + 2, c, c + n + 2, c + n + 1}) triangles.push_back(v);
    }
  }
  return {vertices, triangles};
}

// A box whose faces are cut into 2 n² triangles each.
TriangleMesh makeBoxMesh(const Vector3d& half, int n) {
  std::vector<Vector3d> vertices;
  std::vector<int> triangles;
  const auto indexOf = [&](const Vector3d& x) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (vertices[i] == x) return static_cast<int>(i);
    }
    vertices.push_back(x);
    return static_cast<int>(vertices.size()) - 1;
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const auto at = [&](int i, int j) {
        Vector3d x;
        x[axis] = side;
        x[(axis + 1) % 3] = 2.0 * i / n - 1.0;
        x[(axis + 2) % 3] = 2.0 * j / n - 1.0;
        return indexOf(half.cwiseProduct(x));
      };
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const int quad[4] = {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
          for (const int k : {0, 1, 2, 0, 2, 3}) triangles.push_back(quad[k]);
          if (side < 0.0) {
            std::swap(triangles[triangles.size() - 2], triangles[triangles.size() - 1]);
            std::swap(triangles[triangles.size() - 5], triangles[triangles.size() - 4]);
          }
        }
      }
    }
  }
  return {vertices, triangles};
}

HeightField makeFlatField(int n) {
  return HeightField(n + 1, n + 1, 2.0 / n, 2.0 / n,
                     std::vector<double>(static_cast<std::size_t>((n + 1) * (n + 1)), 0.0));
}

// Slides a shape over 10,000 triangles that lie in a tilted plane, `low` above or under it.
void slide(const Shape& floor, const Shape& shape, const Matrix3d& R_FS, double height,
           std::size_t contacts, const char* what) {
  Random random(5);
  const Pose X_WF(randomRotation(random), Vector3d(0.3, -0.7, 0.2));
  NarrowPhase narrow;
  Manifold manifold;
  double worst_normal = 0.0, worst_gap = 0.0;
  std::set<std::uint64_t> keys;
  for (int k = 0; k < test::effort(2000); ++k) {
    const double s = -0.5 + k / 2000.0;
    for (const double gap : {0.0, -1e-6, 1e-5}) {
      const Pose X_FS(R_FS, Vector3d(s, 0.31 * s + 0.123, height + gap));
      narrow.collide(floor, X_WF, shape, X_WF * X_FS, {1e-3, 8}, manifold);
      ASSERT_EQ(manifold.size(), contacts) << what << " at " << s << " gap " << gap;
      for (const ManifoldPoint& point : manifold) {
        worst_normal = std::max(worst_normal, (point.normal - X_WF.R.col(2)).norm());
        worst_gap = std::max(worst_gap, std::abs(point.gap - gap));
        keys.insert(point.key);
      }
    }
  }
  EXPECT_LT(worst_normal, 1e-12) << what;
  EXPECT_LT(worst_gap, 1e-14) << what;
  EXPECT_EQ(keys.size(), contacts) << what;
}

TEST(Surface, ShapesSlideOverTenThousandTrianglesAsOverOnePlane) {
  Random random(3);
  const Matrix3d yaw = Eigen::AngleAxisd(0.3, Vector3d::UnitZ()).toRotationMatrix();
  const Matrix3d lying = yaw * Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
  for (const Shape& floor : {Shape(makeFloor(71, random)), Shape(makeFlatField(71))}) {
    slide(floor, Sphere{0.1}, yaw, 0.1, 1, "sphere");
    slide(floor, Box({0.15, 0.1, 0.05}), yaw, 0.05, 4, "box");
    slide(floor, Capsule{0.05, 0.2}, lying, 0.05, 2, "capsule");
    slide(floor, Cylinder{0.1, 0.2}, yaw, 0.2, 4, "cylinder");
    slide(floor, Box({0.004, 0.003, 0.002}), yaw, 0.002, 4, "box smaller than a triangle");
  }
}

TEST(Surface, AClosedConvexMeshActsAsTheBodyItBounds) {
  Random random(11);
  const Vector3d half(0.5, 0.4, 0.3);
  const Shape box = Box(half);
  const std::vector<Vector3d> points = {{0.2, 0.1, 0}, {-0.2, 0.1, 0.1}, {0, -0.2, 0.1},
                                        {0, 0.1, 0.3}, {0.1, 0, -0.2}};
  const std::vector<Shape> others = {Sphere{0.2}, Capsule{0.1, 0.2}, Box({0.2, 0.1, 0.15}),
                                     ConvexHull(points)};
  NarrowPhase narrow;
  for (const int n : {1, 4}) {
    const Shape mesh = makeBoxMesh(half, n);
    for (const Shape& other : others) {
      double worst = 0.0, worst_normal = 0.0;
      for (int k = 0; k < test::effort(1500); ++k) {
        const Pose X_WA(randomRotation(random), Vector3d(1.0, -2.0, 0.5));
        Vector3d direction = randomRotation(random).col(0);
        Pose X_WB(randomRotation(random), X_WA.p + 1.5 * direction);
        const double wanted = k % 3 == 0 ? 1e-5 : k % 3 == 1 ? uniform(random, 1e-6, 0.3)
                                                            : -uniform(random, 1e-9, 1e-4);
        for (int step = 0; step < 4; ++step) {
          const ManifoldPoint now = narrow.calcDistance(box, X_WA, other, X_WB);
          X_WB.p += (wanted - now.gap) * now.normal;
        }
        const ManifoldPoint expected = narrow.calcDistance(box, X_WA, other, X_WB);
        const ManifoldPoint found = narrow.calcDistance(mesh, X_WA, other, X_WB);
        worst = std::max(worst, std::abs(found.gap - expected.gap));
        if (expected.gap > 1e-6) {
          worst_normal = std::max(worst_normal, (found.normal - expected.normal).norm());
        }
      }
      EXPECT_LT(worst, 2e-12) << nameOf(other) << " " << n;
      EXPECT_LT(worst_normal, 1e-8) << nameOf(other) << " " << n;
    }
  }
}

// A roof: two slopes that meet in a ridge along y (or, upside down, in a valley).
TriangleMesh makeRoof(double slope) {
  const std::vector<Vector3d> vertices = {{-1, -1, -slope}, {0, -1, 0}, {1, -1, -slope},
                                          {-1, 1, -slope},  {0, 1, 0},  {1, 1, -slope}};
  return {vertices, {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4}};
}

TEST(Surface, ABoxLiesOnARidgeWithTheNormalOfItsFace) {
  NarrowPhase narrow;
  Manifold manifold;
  for (const double tilt : {0.0, 0.1, -0.2}) {
    const Matrix3d R = Eigen::AngleAxisd(tilt, Vector3d::UnitY()).toRotationMatrix();
    const Pose X_WB(R, R * Vector3d(0.05, 0.0, 0.1 - 1e-7));
    narrow.collide(makeRoof(0.5), Pose(), Box({0.3, 0.2, 0.1}), X_WB, {1e-4, 8}, manifold);
    ASSERT_EQ(manifold.size(), 2u);
    for (const ManifoldPoint& point : manifold) {
      EXPECT_LT((point.normal - R.col(2)).norm(), 1e-15);
      EXPECT_NEAR(point.gap, -1e-7, 1e-16);
      EXPECT_NEAR(std::abs(point.point_a.y()), 0.2, 1e-15);
      EXPECT_NEAR(point.point_a.x(), 0.0, 1e-15);
    }
  }
}

TEST(Surface, ASphereInAValleyTouchesBothSlopesAndOnARidgeTheRidge) {
  NarrowPhase narrow;
  Manifold manifold;
  const double slope = 0.5;
  const double r = 0.2;
  const double length = std::hypot(1.0, slope);
  narrow.collide(makeRoof(-slope), Pose(), Sphere{r}, Pose(Matrix3d::Identity(), {0, 0.1, r * length}),
                 {1e-6, 8}, manifold);
  ASSERT_EQ(manifold.size(), 2u);
  for (const ManifoldPoint& point : manifold) {
    EXPECT_NEAR(point.gap, 0.0, 1e-15);
    EXPECT_NEAR(std::abs(point.normal.x()), slope / length, 1e-15);
  }
  narrow.collide(makeRoof(slope), Pose(), Sphere{r}, Pose(Matrix3d::Identity(), {0.01, 0.1, r}),
                 {1e-3, 8}, manifold);
  ASSERT_EQ(manifold.size(), 1u);
  EXPECT_NEAR(manifold[0].gap, std::hypot(0.01, r) - r, 1e-15);
  EXPECT_NEAR(manifold[0].point_a.norm(), 0.1, 1e-15);
}

TEST(Surface, ABoxOverACliffIsHeldAtTheEdge) {
  NarrowPhase narrow;
  Manifold manifold;
  // Half of the box is beyond x = 0.5.
  const Pose X_WB(Matrix3d::Identity(), {0.5, 0.0, 0.3 + 0.1 - 1e-8});
  for (const int n : {1, 3}) {
    narrow.collide(makeBoxMesh({0.5, 0.4, 0.3}, n), Pose(), Box({0.2, 0.2, 0.1}), X_WB, {1e-4, 8},
                   manifold);
    ASSERT_GE(manifold.size(), 4u) << n;  // and where pieces of the edge meet
    ASSERT_LE(manifold.size(), 8u) << n;
    for (const ManifoldPoint& point : manifold) {
      EXPECT_LT((point.normal - Vector3d::UnitZ()).norm(), 1e-15);
      EXPECT_NEAR(point.gap, -1e-8, 1e-16);
      EXPECT_LE(point.point_a.x(), 0.5 + 1e-15);
    }
  }
}

TEST(Surface, ShapesOverACliffAreNotPushedSideways) {
  NarrowPhase narrow;
  Manifold manifold;
  Random random(31);
  const Vector3d half(0.5, 0.4, 0.3);
  for (const int n : {1, 4, 8}) {
    const Shape mesh = makeBoxMesh(half, n);
    for (const Shape& shape : {Shape(Box({0.2, 0.2, 0.1})), Shape(Cylinder{0.2, 0.1}), Shape(Cone{0.2, 0.1})}) {
      for (int k = 0; k < test::effort(300); ++k) {
        const double depth = std::pow(10.0, uniform(random, -8.0, -3.0));
        const Matrix3d R = Eigen::AngleAxisd(uniform(random, 0.0, 6.0), Vector3d::UnitZ()).toRotationMatrix();
        const Pose X_WB(R, {uniform(random, -0.55, 0.55), uniform(random, -0.45, 0.45), 0.4 - depth});
        narrow.collide(mesh, Pose(), shape, X_WB, {1e-4, 8}, manifold);
        ASSERT_GE(manifold.size(), 1u) << nameOf(shape);
        for (const ManifoldPoint& point : manifold) {
          ASSERT_GT(point.normal.z(), 0.9) << nameOf(shape) << " " << n << " depth " << depth;
          ASSERT_GT(point.gap, -1.01 * depth) << nameOf(shape) << " " << n;
        }
      }
    }
  }
}

TEST(Surface, ABoxRestsOnARidgeWhoseNodesLieUnderItsEdges) {
  const std::vector<Vector3d> vertices = {{-1, -1, -0.5}, {0, -1, 0},   {1, -1, -0.5}, {-1, -0.2, -0.5},
                                          {0, -0.2, 0},   {1, -0.2, -0.5}, {-1, 0.2, -0.5}, {0, 0.2, 0},
                                          {1, 0.2, -0.5}, {-1, 1, -0.5}, {0, 1, 0},     {1, 1, -0.5}};
  std::vector<int> triangles;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 2; ++i) {
      const int c = 3 * j + i;
      triangles.insert(triangles.end(), {c, c + 1, c + 4, c, c + 4, c + 3});
    }
  }
  NarrowPhase narrow;
  Manifold manifold;
  for (const double offset : {0.0, 1e-9, 1e-8, 1e-7, 1e-3}) {
    narrow.collide(TriangleMesh(vertices, triangles), Pose(), Box({0.3, 0.2, 0.1}),
                   Pose(Matrix3d::Identity(), {0.05, offset, 0.1 - 1e-4}), {1e-5, 8}, manifold);
    ASSERT_GE(manifold.size(), 2u) << offset;
    double low = 1.0, high = -1.0;
    for (const ManifoldPoint& point : manifold) {
      low = std::min(low, point.point_b.y());
      high = std::max(high, point.point_b.y());
      EXPECT_NEAR(point.gap, -1e-4, 1e-12);
    }
    EXPECT_NEAR(high - low, 0.4, 1e-6) << offset;
  }
}

TEST(Surface, RefreshAtTheSamePosesChangesNothing) {
  if (!NarrowPhase::supports(Box({1, 1, 1}), Ellipsoid{})) return;  // built without coal
  Detector detector;
  detector.addShape(0, makeRoof(0.5), Pose());
  detector.addShape(1, Ellipsoid{{0.2, 0.3, 0.1}}, Pose());
  for (const double gap : {1e-4, -1e-4}) {
    const std::vector<Pose> poses = {Pose(), Pose(Matrix3d::Identity(), {0, 0, 0.1 + gap})};
    ContactSet contacts;
    detector.detect(poses, std::vector<double>(2, 0.01), contacts);
    ASSERT_EQ(contacts.size(), 1);
    detector.refresh(poses, contacts);
    EXPECT_NEAR(contacts.gap[0], gap, 1e-12);
    EXPECT_NEAR(contacts.normal[0].z(), 1.0, 1e-12);
  }
}

TEST(Surface, AFloorOfSeparateTrianglesIsOneFloor) {
  Random random(37);
  const TriangleMesh floor = makeFloor(20, random);
  std::vector<Vector3d> vertices;
  std::vector<int> triangles;
  for (int t = 0; t < floor.triangleCount(); ++t) {
    for (int k = 0; k < 3; ++k) {
      triangles.push_back(static_cast<int>(vertices.size()));
      vertices.push_back(floor.corner(t, k));
    }
  }
  const TriangleMesh soup(vertices, triangles);
  NarrowPhase narrow;
  Manifold manifold;
  narrow.collide(soup, Pose(), Box({0.2, 0.2, 0.1}), Pose(Matrix3d::Identity(), {0.1, 0.05, 0.099}), {1e-4, 8},
                 manifold);
  ASSERT_EQ(manifold.size(), 4u);
  for (const ManifoldPoint& point : manifold) EXPECT_NEAR(point.normal.z(), 1.0, 1e-12);
}

TEST(Surface, RoundShapesMeetRidgesAndCornersAsTheyMeetTheBody) {
  NarrowPhase narrow;
  const Vector3d half(0.5, 0.4, 0.3);
  const Shape box = Box(half);
  const Shape mesh = makeBoxMesh(half, 2);
  if (!NarrowPhase::supports(box, Cylinder{})) return;  // built without coal
  Random random(29);
  for (const Shape& other : {Shape(Cylinder{0.2, 0.3}), Shape(Ellipsoid{{0.2, 0.1, 0.3}})}) {
    double worst = 0.0;
    for (int k = 0; k < 300; ++k) {
      const Pose X_WA(randomRotation(random), Vector3d(1.0, -2.0, 0.5));
      Pose X_WB(randomRotation(random), X_WA.p + 1.5 * randomRotation(random).col(0));
      const double wanted = uniform(random, 1e-6, 0.3);
      for (int step = 0; step < 4; ++step) {
        const ManifoldPoint now = narrow.calcDistance(box, X_WA, other, X_WB);
        X_WB.p += (wanted - now.gap) * now.normal;
      }
      const double expected = narrow.calcDistance(box, X_WA, other, X_WB).gap;
      worst = std::max(worst, std::abs(narrow.calcDistance(mesh, X_WA, other, X_WB).gap - expected));
    }
    EXPECT_LT(worst, 1e-10) << nameOf(other);
  }
}

TEST(Surface, RefreshFollowsContactsOnAMesh) {
  Random random(7);
  Detector detector;
  detector.addShape(0, makeFloor(20, random), Pose());
  detector.addShape(1, Box({0.1, 0.1, 0.1}), Pose());
  detector.addShape(2, Sphere{0.1}, Pose());
  detector.addShape(3, Cylinder{0.1, 0.1}, Pose());
  std::vector<Pose> poses(4);
  const auto put = [&poses](double move) {
    const Matrix3d turn = Eigen::AngleAxisd(move, Vector3d(0.3, 0.2, 1.0).normalized()).toRotationMatrix();
    poses[1] = Pose(turn, {-0.5 + move, 0.01, 0.1 + move});
    poses[2] = Pose(turn, {0.0, 0.1 + move, 0.1 - move});
    poses[3] = Pose(turn, {0.5, 0.1, 0.1 + 2.0 * move});
  };
  const std::vector<double> margins(4, 0.01);
  ContactSet contacts, again;
  put(0.0);
  detector.detect(poses, margins, contacts);
  ASSERT_EQ(contacts.size(), 9);
  put(1e-3);
  detector.refresh(poses, contacts);
  detector.detect(poses, margins, again);
  ASSERT_EQ(again.size(), 9);
  for (int k = 0; k < 9; ++k) {
    EXPECT_EQ(contacts.shape_b[k], again.shape_b[k]);
    EXPECT_EQ(contacts.shape_a[k], 0);
  }
  // Rims are ordered by their lowest point, which turns: compare as sets.
  const auto sorted = [](ContactSet& set) {
    std::ranges::sort(set.gap);
    return set.gap;
  };
  const auto found = sorted(contacts);
  const auto expected = sorted(again);
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
}

TEST(Surface, TwoStaticShapesNeverTouch) {
  Detector detector;
  detector.addShape(0, HalfSpace{}, Pose());
  detector.addShape(1, makeFlatField(4), Pose());
  detector.addShape(2, makeBoxMesh({1, 1, 1}, 1), Pose());
  ContactSet contacts;
  detector.detect(std::vector<Pose>(3), std::vector<double>(3, 0.1), contacts);
  EXPECT_EQ(contacts.size(), 0);
  EXPECT_FALSE(NarrowPhase::supports(makeFlatField(4), HalfSpace{}));
}

TEST(TriangleMesh, OfABoxHasTheBoxesVolumeAndInertia) {
  const Vector3d half(0.5, 0.4, 0.3);
  const VolumeProperties expected = calcVolumeProperties(Box(half));
  const VolumeProperties found = calcVolumeProperties(makeBoxMesh(half, 3));
  EXPECT_NEAR(found.volume, expected.volume, 1e-15);
  EXPECT_LT(found.centre.norm(), 1e-15);
  EXPECT_LT((found.inertia - expected.inertia).norm(), 1e-15);
}

void expectError(const std::function<void()>& action, const std::string& text) {
  try {
    action();
    ADD_FAILURE() << "nothing thrown; expected: " << text;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(TriangleMesh, BadInputIsNamed) {
  const std::vector<Vector3d> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  expectError([&] { TriangleMesh(corners, {0, 1}, "mesh 'rock'"); },
              "mesh 'rock': 2 vertex indices: expected three for each triangle");
  expectError([&] { TriangleMesh(corners, {0, 1, 4}); },
              "triangle 0 names vertex 4, but there are 4 vertices");
  expectError([&] { TriangleMesh(corners, {0, 1, 2, 0, 1, 1}); },
              "triangle 1 (vertices 0, 1, 1) has no area; remove it");
  expectError([&] { TriangleMesh({{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}}, {0, 1, 2}); },
              "vertex 1 = (1, nan, 0) is not finite");
  const std::vector<int> closed = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  EXPECT_NEAR(TriangleMesh(corners, closed).calcVolumeProperties().volume, 1.0 / 6.0, 1e-16);
  expectError([&] { TriangleMesh(corners, {0, 2, 1, 0, 1, 3, 1, 2, 3}).calcVolumeProperties(); },
              "the surface is open at the edge between vertices");
  std::vector<int> inverted = closed;
  std::ranges::reverse(inverted);
  expectError([&] { TriangleMesh(corners, inverted).calcVolumeProperties(); }, "inside out");
  std::vector<Vector3d> twice = corners;
  std::vector<int> both = closed;
  for (const Vector3d& x : corners) twice.push_back(x + Vector3d(0.1, 0.1, 0.1));
  for (const int v : closed) both.push_back(v + 4);
  expectError([&] { TriangleMesh(twice, both).calcVolumeProperties("body 'rock'"); },
              "pass through each other");
  expectError([&] { HeightField(2, 2, 1.0, 0.0, std::vector<double>(4)); }, "spacing = (1, 0) m");
  expectError([&] { HeightField(2, 3, 1.0, 1.0, std::vector<double>(4)); }, "4 heights for 2 x 3");
  expectError([&] { calcVolumeProperties(makeFlatField(2)); }, "a height field has no volume");
}

TEST(TriangleMesh, ATurnedMeshDoesNotCrossItself) {
  Random random(41);
  for (int k = 0; k < test::effort(50); ++k) {
    const TriangleMesh straight = makeBoxMesh({0.5, 0.4, 0.3}, 4);
    const Pose X(randomRotation(random), Vector3d(0.1, 0.2, 0.3));
    std::vector<Vector3d> vertices;
    for (const Vector3d& x : straight.vertices()) vertices.push_back(X * x);
    EXPECT_NEAR(TriangleMesh(vertices, straight.triangles()).calcVolumeProperties().volume, 0.48, 1e-14);
  }
}

TEST(TriangleMesh, ShapesAtAHeightFieldMeetItsSlopes) {
  // z = 0.2 x: a slope of constant normal.
  const int n = 20;
  std::vector<double> heights;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) heights.push_back(0.2 * (i - 0.5 * n) * 0.1);
  }
  const HeightField field(n + 1, n + 1, 0.1, 0.1, heights);
  const Vector3d normal = Vector3d(-0.2, 0.0, 1.0).normalized();
  NarrowPhase narrow;
  Manifold manifold;
  for (int k = 0; k < 200; ++k) {
    const double x = -0.5 + 0.005 * k;
    const Pose X_WB(Matrix3d::Identity(), Vector3d(x, 0.05, 0.2 * x) + 0.1 * normal);
    narrow.collide(field, Pose(), Sphere{0.1}, X_WB, {1e-4, 8}, manifold);
    ASSERT_EQ(manifold.size(), 1u) << x;
    EXPECT_LT((manifold[0].normal - normal).norm(), 1e-12);
    EXPECT_NEAR(manifold[0].gap, 0.0, 1e-15);
  }
}

}  // namespace
}  // namespace cornet
