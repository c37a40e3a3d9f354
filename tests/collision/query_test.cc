// Rays against what a shape is, point by point: the interval of a convex solid on a line is found by bisection
// on membership, from a point inside that the test puts on the line.
#include "cornet/collision/query.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cornet/collision/detector.h"
#include "support/effort.h"
#include "support/random_shape.h"

namespace cornet {
namespace {

using namespace test;

// How far outside x is, in units of the size of the shape: < 0 inside. Not a distance, but with its sign.
double outsideBy(const Sphere& s, const Vector3d& x) { return x.norm() / s.radius - 1.0; }
double outsideBy(const Box& s, const Vector3d& x) {
  return x.cwiseQuotient(s.half()).cwiseAbs().maxCoeff() - 1.0;
}
double outsideBy(const Capsule& s, const Vector3d& x) {
  const double z = std::max(0.0, std::abs(x.z()) - s.half_length);
  return std::hypot(x.x(), x.y(), z) / s.radius - 1.0;
}
double outsideBy(const Cylinder& s, const Vector3d& x) {
  return std::max(std::hypot(x.x(), x.y()) / s.radius, std::abs(x.z()) / s.half_length) - 1.0;
}
double outsideBy(const Cone& s, const Vector3d& x) {
  const double height = 0.5 * (1.0 - x.z() / s.half_length);  // 0 at the apex, 1 at the base
  return std::max(std::hypot(x.x(), x.y()) / s.radius - height, height - 1.0);
}
double outsideBy(const Ellipsoid& s, const Vector3d& x) { return x.cwiseQuotient(s.radii).norm() - 1.0; }
double outsideBy(const ConvexHull& s, const Vector3d& x) {
  double most = -kInfinity;
  for (const auto& face : s.polyhedron().faces()) most = std::max(most, face.normal.dot(x) - face.offset);
  return most / s.polyhedron().vertices()[0].norm();
}
double outsideBy(const HalfSpace&, const Vector3d& x) { return x.z(); }

double outsideBy(const TriangleMesh&, const Vector3d&) { return NAN; }
double outsideBy(const HeightField&, const Vector3d&) { return NAN; }
double outsideBy(const Bowl& s, const Vector3d& x) { return 1.0 - x.norm() / s.radius; }

double outsideBy(const Shape& shape, const Vector3d& x) {
  return std::visit([&](const auto& s) { return outsideBy(s, x); }, shape);
}

// A point of the solid, anywhere in it, and how large it is.
struct Inner {
  Vector3d point;
  double size;
};
Inner drawInner(const Shape& shape, Random& random) {
  if (std::holds_alternative<HalfSpace>(shape)) {
    return {Vector3d(uniform(random, -1, 1), uniform(random, -1, 1), -uniform(random, 0, 1)), 1.0};
  }
  // Between three points of the surface, and a little towards the middle.
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < 3; ++k) sum += calcSupport(shape, randomDirection(random));
  const Bounds bounds = calcBounds(shape, Pose());
  const Vector3d centre = calcVolumeProperties(shape).centre;
  return {centre + 0.98 * (sum / 3.0 - centre), (bounds.upper - bounds.lower).norm()};
}

class EveryShape : public testing::TestWithParam<std::size_t> {};
// The convex solids: a mesh is a surface, and compared with the solid it bounds; of bowls in bowl_test.cc.
constexpr std::size_t kSolids = Shape(HalfSpace{}).index() + 1;
static_assert(std::variant_size_v<Shape> == kSolids + 3, "a new solid comes before TriangleMesh");

INSTANTIATE_TEST_SUITE_P(Of, EveryShape, testing::Range<std::size_t>(0, kSolids),
                         [](const auto& of) {
                           Random random(1);
                           std::string name(nameOf(makeRandomShape(of.param, random)));
                           std::ranges::replace(name, ' ', '_');
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// First point of the solid on the ray, from outside towards a point inside.
double bisect(const Shape& shape, const Vector3d& o, const Vector3d& d, double inside) {
  double low = 0.0, high = inside;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (outsideBy(shape, o + middle * d) > 0.0 ? low : high) = middle;
  }
  return high;
}

TEST_P(EveryShape, FirstHitIsThatOfBisection) {
  Random random(7);
  double worst = 0.0;
  for (const double scale : {1e-6, 1.0, 1e4}) {
    for (int k = 0; k < test::effort(3000); ++k) {
      const Shape shape = makeRandomShape(GetParam(), random, {0.1 * scale, scale});
      const Inner inner = drawInner(shape, random);
      const Vector3d d = randomDirection(random);
      const double back = inner.size * uniform(random, 1.0, 20.0);
      const Vector3d o = inner.point - back * d;
      const Pose X(randomRotation(random), scale * randomDirection(random));
      const double length = uniform(random, 0.1, 10.0);
      const auto hit = rayCast(shape, X, {X * o, length * (X.R * d)});
      if (outsideBy(shape, o) <= 0.0) {  // of a half-space, seen from below
        ASSERT_TRUE(hit && hit->inside);
        continue;
      }
      ASSERT_TRUE(hit) << nameOf(shape);
      ASSERT_FALSE(hit->inside);
      ASSERT_NEAR(hit->normal.norm(), 1.0, 1e-14);
      EXPECT_LT(hit->normal.dot(X.R * d), 1e-7);  // against the ray
      // Where the ray grazes, the surface decides less about t: compare across it.
      const double across = std::abs(hit->normal.dot(X.R * d));
      const double error = std::abs(hit->distance - bisect(shape, o, d, back)) * across / inner.size;
      worst = std::max(worst, error);
      EXPECT_NEAR(outsideBy(shape, X.inverse() * hit->point), 0.0, 1e-11) << nameOf(shape);
    }
  }
  RecordProperty("worst_relative_error", fmt::format("{:.1e}", worst));
  EXPECT_LT(worst, 1e-12);
}

// The outward normal leads up the steepest way: along a tangent the solid is left at second order only.
TEST_P(EveryShape, NormalIsThatOfTheSurface) {
  Random random(9);
  for (int k = 0; k < 2000; ++k) {
    const Shape shape = makeRandomShape(GetParam(), random);
    const Inner inner = drawInner(shape, random);
    const Vector3d d = randomDirection(random);
    const auto hit = rayCast(shape, Pose(), {inner.point - 10.0 * inner.size * d, d});
    if (!hit || hit->inside) continue;
    EXPECT_GT(outsideBy(shape, hit->point + 1e-7 * hit->normal), 0.0);
    if (std::holds_alternative<HalfSpace>(shape)) continue;
    // A supporting plane: no point of a convex solid is above it.
    const double above = hit->normal.dot(calcSupport(shape, hit->normal) - hit->point);
    EXPECT_LT(above, 1e-9 * inner.size) << nameOf(shape);
  }
}

TEST_P(EveryShape, RaysThatStartInsideHitAtZero) {
  Random random(11);
  for (int k = 0; k < 500; ++k) {
    const Shape shape = makeRandomShape(GetParam(), random);
    const Vector3d x = drawInner(shape, random).point;
    const Vector3d d = randomDirection(random);
    const auto hit = rayCast(shape, Pose(), {x, 3.0 * d});
    ASSERT_TRUE(hit && hit->inside);
    EXPECT_EQ(hit->distance, 0.0);
    EXPECT_EQ(hit->point, x);
    EXPECT_LT((hit->normal + d).norm(), 1e-15);
  }
}

// A plane with the solid on one side: rays in it, a little above, miss; a little below, they may hit.
TEST_P(EveryShape, GrazingRaysMissAboveTheSupportingPlane) {
  Random random(13);
  for (int k = 0; k < test::effort(3000); ++k) {
    const Shape shape = makeRandomShape(GetParam(), random);
    if (std::holds_alternative<HalfSpace>(shape)) continue;
    const Vector3d n = randomDirection(random);
    const Vector3d touching = calcSupport(shape, n);
    const Vector3d along = n.cross(randomDirection(random)).normalized();
    for (const double height : {1e-9, 1e-12, 0.0, -1e-12}) {
      const Ray ray{touching + height * n - 3.0 * along, along};
      const auto hit = rayCast(shape, Pose(), ray);
      EXPECT_FALSE(hit && height > 1e-13) << nameOf(shape) << " " << height;
      EXPECT_TRUE(!hit || (hit->point.allFinite() && hit->normal.allFinite()));
    }
    EXPECT_FALSE(rayCast(shape, Pose(), {touching + 0.1 * n, n}));  // away from it
  }
}

TEST_P(EveryShape, TheLengthOfTheRayIsALimit) {
  Random random(15);
  for (int k = 0; k < 300; ++k) {
    const Shape shape = makeRandomShape(GetParam(), random);
    const Inner inner = drawInner(shape, random);
    const Vector3d d = randomDirection(random);
    Ray ray{inner.point - 5.0 * inner.size * d, d};
    const auto hit = rayCast(shape, Pose(), ray);
    if (!hit || hit->inside) continue;
    ray.max_distance = hit->distance;
    EXPECT_TRUE(rayCast(shape, Pose(), ray));
    ray.max_distance = std::nextafter(hit->distance, 0.0);
    EXPECT_FALSE(rayCast(shape, Pose(), ray));
  }
}

TEST(RayCast, HandComputedHits) {
  const auto distance = [](const Shape& shape, const Vector3d& o, const Vector3d& d) {
    return rayCast(shape, Pose(), {o, d})->distance;
  };
  EXPECT_DOUBLE_EQ(distance(Sphere{0.5}, {-2, 0, 0}, {1, 0, 0}), 1.5);
  EXPECT_DOUBLE_EQ(distance(Box({1, 2, 3}), {0, 0, 10}, {0, 0, -2}), 7.0);
  EXPECT_DOUBLE_EQ(distance(Capsule{0.5, 1.0}, {0, 0, 4}, {0, 0, -1}), 2.5);
  EXPECT_DOUBLE_EQ(distance(Capsule{0.5, 1.0}, {3, 0, 0.9}, {-1, 0, 0}), 2.5);
  EXPECT_DOUBLE_EQ(distance(Cylinder{0.5, 1.0}, {0.4, 0, 4}, {0, 0, -1}), 3.0);
  EXPECT_DOUBLE_EQ(distance(Cone{1.0, 1.0}, {3, 0, 0}, {-1, 0, 0}), 2.5);
  EXPECT_DOUBLE_EQ(distance(Cone{1.0, 1.0}, {0, 0, 3}, {0, 0, -1}), 2.0);
  EXPECT_DOUBLE_EQ(distance(Cone{1.0, 1.0}, {0.5, 0, -4}, {0, 0, 1}), 3.0);
  EXPECT_DOUBLE_EQ(distance(Ellipsoid{{1, 2, 3}}, {0, 5, 0}, {0, -1, 0}), 3.0);
  EXPECT_DOUBLE_EQ(distance(HalfSpace{}, {0, 0, 1}, {0, 3, -4}), 1.25);
  EXPECT_FALSE(rayCast(HalfSpace{}, Pose(), {{0, 0, 1}, {1, 0, 0}}));
  EXPECT_FALSE(rayCast(Sphere{0.5}, Pose(), {{2, 0, 0}, {1, 0, 0}}));
}

// Along the side of a cone one of the two crossings is at infinity.
TEST(RayCast, ParallelToTheSideOfACone) {
  const Cone cone{1.0, 1.0};
  const Vector3d side = Vector3d(1.0, 0.0, -2.0).normalized();
  const auto hit = rayCast(cone, Pose(), {Vector3d(-0.5, 0.0, 1.0) - 3.0 * side, side});
  ASSERT_TRUE(hit);
  EXPECT_NEAR(outsideBy(Shape(cone), hit->point), 0.0, 1e-14);
  EXPECT_FALSE(rayCast(cone, Pose(), {Vector3d(0.5, 0.0, 1.0) - 3.0 * side, side}));
}

TEST(RayCast, ImpossibleRaysAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refusal = [](const Ray& ray) -> std::string {
    try {
      rayCast(Sphere{}, Pose(), ray);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal({{nan, 0, 0}, {1, 0, 0}}), "ray: origin = (nan, 0, 0): expected finite numbers");
  EXPECT_EQ(refusal({{0, 0, 0}, {0, 0, 0}}),
            "ray: direction = (0, 0, 0): expected finite numbers, not all 0");
  EXPECT_THROW(rayCast(Sphere{}, Pose(Matrix3d::Identity(), {nan, 0, 0}), {}), std::invalid_argument);
  EXPECT_EQ(refusal({{0, 0, 0}, {1, 0, 0}, -1.0}), "ray: max_distance = -1 m: expected a number >= 0");
}

TEST(Overlap, IsTheSignOfTheDistance) {
  Random random(17);
  int yes = 0, no = 0;
  for (int k = 0; k < test::effort(20000); ++k) {
    const Shape a = makeRandomShape(random);
    const Shape b = makeRandomShape(random);
    if (!NarrowPhase::supports(a, b)) {
      EXPECT_THROW(overlap(a, Pose(), b, Pose()), std::invalid_argument);
      continue;
    }
    const Pose X_WA(randomRotation(random), randomDirection(random));
    const Pose X_WB(randomRotation(random), randomDirection(random));
    const double distance = calcDistance(a, X_WA, b, X_WB).gap;
    const bool found = overlap(a, X_WA, b, X_WB);
    EXPECT_EQ(found, distance <= 0.0) << nameOf(a) << " " << nameOf(b) << " " << distance;
    ++(found ? yes : no);
  }
  EXPECT_GT(yes, test::effort(1000));
  EXPECT_GT(no, test::effort(1000));
}

// ---- of many bodies

// Shapes of all kinds over a half-space, or only those that a box can meet.
struct Field {
  explicit Field(int count, bool all = true) {
    Random random(19);
    for (int k = 0; k < count; ++k) {
      do {
        shapes.resize(k);
        shapes.push_back(makeRandomShape(random, {0.1, 0.5}));
      } while (std::holds_alternative<HalfSpace>(shapes.back()) ||
               !(all || NarrowPhase::supports(Box(Vector3d::Ones()), shapes.back())));
      poses.emplace_back(randomRotation(random), 3.0 * randomDirection(random) * uniform(random, 0, 1));
      detector.addShape(k, shapes.back(), Pose(), 0, {1u << (k % 3), 0xffffffff});
    }
    shapes.push_back(HalfSpace{});
    poses.emplace_back(Matrix3d::Identity(), Vector3d(0, 0, -2.5));
    detector.addShape(count, HalfSpace{}, Pose());
  }
  std::vector<Shape> shapes;
  std::vector<Pose> poses;
  Detector detector;
};

TEST(DetectorQuery, NearestHitIsThatOfAllShapes) {
  Field field(200);
  Random random(21);
  int hits = 0;
  for (int k = 0; k < test::effort(3000); ++k) {
    if (k % 100 == 0) {
      for (Pose& pose : field.poses) pose.p += 0.1 * randomDirection(random);
    }
    const CollisionFilter filter = k % 2 == 0 ? kMeetsAll : CollisionFilter{1, 2};
    const Ray ray{5.0 * randomDirection(random), randomDirection(random), uniform(random, 1.0, 10.0)};
    const auto found = field.detector.rayCast(field.poses, ray, filter);
    double nearest = kInfinity;
    int which = -1;
    for (std::size_t i = 0; i < field.shapes.size(); ++i) {
      const std::uint32_t group = i + 1 == field.shapes.size() ? 1u : 1u << (i % 3);
      if ((group & filter.mask) == 0) continue;
      const auto hit = rayCast(field.shapes[i], field.poses[i], ray);
      if (!hit || !(hit->distance < nearest)) continue;
      nearest = hit->distance;
      which = static_cast<int>(i);
    }
    ASSERT_EQ(found.has_value(), which >= 0);
    if (!found) continue;
    ++hits;
    EXPECT_EQ(found->shape, which);
    EXPECT_EQ(found->body, which);
    EXPECT_EQ(found->distance, nearest);
  }
  EXPECT_GT(hits, test::effort(500));
}

TEST(DetectorQuery, ManyRaysHitWhatEachWouldAlone) {
  Field field(100);
  Random random(27);
  std::vector<Ray> rays;
  for (int k = 0; k < 500; ++k) rays.push_back({5.0 * randomDirection(random), randomDirection(random)});
  std::vector<std::optional<DetectorHit>> hits;
  field.detector.rayCast(field.poses, rays, hits);
  ASSERT_EQ(hits.size(), rays.size());
  for (std::size_t k = 0; k < rays.size(); ++k) {
    const auto alone = field.detector.rayCast(field.poses, rays[k]);
    ASSERT_EQ(hits[k].has_value(), alone.has_value());
    EXPECT_TRUE(!alone || hits[k]->distance == alone->distance);
  }
}

TEST(DetectorQuery, EqualDistancesGoToTheSmallestIndex) {
  Detector detector;
  for (int k = 0; k < 9; ++k) {
    detector.addShape(0, Sphere{0.5}, Pose(Matrix3d::Identity(), {0, 0, 1.0 * (k % 3)}));
  }
  const std::vector<Pose> poses(1);
  for (int row = 0; row < 3; ++row) {
    const auto hit = detector.rayCast(poses, {Vector3d(-3, 0, row), Vector3d::UnitX()});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->shape, row);
  }
}

TEST(DetectorQuery, OverlapsAreThoseOfAllShapes) {
  Field field(200, false);
  Random random(23);
  std::vector<int> found, expected;
  std::size_t total = 0;
  for (int k = 0; k < 200; ++k) {
    const Shape probe = Box({uniform(random, 0.1, 1.0), 0.5, 0.5});
    const Pose X(randomRotation(random), 2.0 * randomDirection(random));
    expected.clear();
    for (int i = 0; i < field.detector.shapeCount(); ++i) {
      if (overlap(probe, X, field.shapes[i], field.poses[i])) expected.push_back(i);
    }
    field.detector.findOverlaps(field.poses, probe, X, found);
    EXPECT_EQ(found, expected);
    total += found.size();
  }
  EXPECT_GT(total, 500u);
}

TEST(DetectorQuery, RefusesWhatItCannotAnswer) {
  Detector detector;
  detector.addShape(0, HalfSpace{}, Pose());
  const std::vector<Pose> poses(1);
  std::vector<int> found;
  const auto refusal = [&](const Shape& shape, const Pose& X) -> std::string {
    try {
      detector.findOverlaps(poses, shape, X, found);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(HalfSpace{}, Pose()),
            "the half-space asked about is near shape 0 (half-space) of body 0: this pair is not supported "
            "by this build");
  EXPECT_EQ(refusal(Sphere{-1.0}, Pose()),
            "sphere: radius = -1 m: expected a finite number > 0");
  EXPECT_EQ(refusal(Sphere{}, Pose(Matrix3d::Identity(), Vector3d::Constant(kInfinity))),
            "sphere: the pose is not finite, or no rotation");
  EXPECT_THROW(detector.rayCast({}, {}), std::invalid_argument);  // no pose for body 0
}

// Queries between detections leave no trace in the contacts.
TEST(DetectorQuery, DetectionDoesNotSeeThem) {
  Detector plain, asked;
  std::vector<Pose> poses;
  Random random(25);
  for (int k = 0; k < 60; ++k) {
    poses.emplace_back(randomRotation(random), randomDirection(random));
    for (Detector* detector : {&plain, &asked}) detector->addShape(k, Box({0.2, 0.1, 0.3}), Pose());
  }
  const std::vector<double> margins(poses.size(), 0.02);
  ContactSet expected, found;
  std::vector<int> near;
  for (int step = 0; step < 5; ++step) {
    asked.rayCast(poses, {Vector3d::Zero(), randomDirection(random)});
    asked.findOverlaps(poses, Sphere{1.0}, Pose(), near);
    plain.detect(poses, margins, expected);
    asked.detect(poses, margins, found);
    EXPECT_EQ(found.key, expected.key);
    EXPECT_EQ(found.gap, expected.gap);
    for (Pose& pose : poses) pose.p += 0.1 * randomDirection(random);
  }
}

TEST(RayCast, HitsTheMeshOfAHullWhereItHitsTheHull) {
  Random random(23);
  int hits = 0;
  for (int k = 0; k < test::effort(3000); ++k) {
    const Shape hull = makeRandomShape(Shape(ConvexHull(std::vector<Vector3d>{
                                           {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})).index(), random);
    const Polyhedron& polyhedron = std::get<ConvexHull>(hull).polyhedron();
    std::vector<int> triangles;
    for (int f = 0; f < static_cast<int>(polyhedron.faces().size()); ++f) {
      const auto loop = polyhedron.loop(f);
      for (std::size_t j = 1; j + 1 < loop.size(); ++j) {
        triangles.insert(triangles.end(), {loop[0], loop[j], loop[j + 1]});
      }
    }
    const TriangleMesh mesh(polyhedron.vertices(), triangles);
    const Pose X(randomRotation(random), randomDirection(random));
    const Vector3d target = X * Vector3d(0.8 * uniform(random, 0.0, 1.0) * polyhedron.vertices()[0]);
    const Ray ray{target + 30.0 * randomDirection(random), Vector3d::UnitX()};
    const Ray aimed{ray.origin, target - ray.origin};
    const auto expected = rayCast(hull, X, aimed);
    const auto found = rayCast(mesh, X, aimed);
    ASSERT_EQ(expected.has_value(), found.has_value());
    if (!found) continue;
    ++hits;
    EXPECT_NEAR(found->distance, expected->distance, 1e-11 * found->distance / std::abs(found->normal.dot(aimed.direction.normalized())));
  }
  EXPECT_GT(hits, test::effort(1000));
}

TEST(RayCast, SeesAHeightFieldFromAboveAndBelow) {
  const HeightField field(3, 3, 1.0, 1.0, std::vector<double>(9, 0.5));
  for (const double side : {1.0, -1.0}) {
    const auto hit = rayCast(field, Pose(), {{0.3, 0.2, 0.5 + 2.0 * side}, {0, 0, -side}});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->distance, 2.0, 1e-15);
    EXPECT_EQ(hit->normal.z(), 1.0);
  }
  EXPECT_FALSE(rayCast(field, Pose(), {{1.3, 0.2, 2.0}, {0, 0, -1}}));
  // Through vertices and edges, from anywhere.
  Random random(43);
  for (int k = 0; k < test::effort(3000); ++k) {
    const Vector3d from(uniform(random, -5, 5), uniform(random, -5, 5), uniform(random, 1, 5));
    for (const Vector3d& node : {Vector3d(0, 0, 0.5), Vector3d(0.5, 0, 0.5), Vector3d(0.25, 0.25, 0.5)}) {
      ASSERT_TRUE(rayCast(field, Pose(), {from, node - from}));
    }
  }
  EXPECT_TRUE(rayCast(field, Pose(), {{0.0, 0.0, 2.0}, {0, 0, -1}}));
  EXPECT_TRUE(rayCast(field, Pose(), {{0.5, 0.0, 2.0}, {0, 0, -1}}));
}

}  // namespace
}  // namespace cornet
