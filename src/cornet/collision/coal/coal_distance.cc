// The only file that knows coal.
#include "cornet/collision/coal/coal_distance.h"

#include <cmath>
#include <vector>

#include <coal/narrowphase/narrowphase.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

namespace cornet {
namespace {

// The best of the tolerances tried on nearly parallel faces: smaller ones lose contacts.
constexpr double kTolerance = 1e-7;
// Curved shapes that overlap deeply take more than the usual 64.
constexpr std::size_t kEpaIterations = 200;

// Vertices in metres, and the polyhedron that coal sees in the unit last asked for.
struct Hull {
  std::vector<coal::Vec3s> vertices;
  std::shared_ptr<std::vector<coal::Vec3s>> scaled;
  std::unique_ptr<coal::Convex<coal::Triangle>> convex;
  double unit = 1.0;

  void setUnit(double wanted) {
    if (wanted == unit) return;
    const double factor = unit / wanted;
    unit = wanted;
    for (std::size_t k = 0; k < vertices.size(); ++k) (*scaled)[k] = vertices[k] / unit;
    convex->center *= factor;
    for (coal::Vec3s& point : convex->support_warm_starts.points) point *= factor;
  }
};

// One side of a pair: whichever of these the kind says.
struct Side {
  coal::Sphere sphere{1.0};
  coal::Box box{1.0, 1.0, 1.0};
  coal::Capsule capsule{1.0, 1.0};
  coal::Cylinder cylinder{1.0, 1.0};
  coal::Cone cone{1.0, 1.0};
  coal::Ellipsoid ellipsoid{1.0, 1.0, 1.0};
  coal::TriangleP triangle{coal::Vec3s::Zero(), coal::Vec3s::UnitX(), coal::Vec3s::UnitY()};
  coal::Transform3s X;
};

template <class Round>
const coal::ShapeBase* setRound(const CoalShape& shape, double unit, Round& round) {
  round.radius = shape.size[0] / unit;
  round.halfLength = shape.size[1] / unit;
  return &round;
}

void store(const coal::Vec3s& x, double unit, double* out) {
  for (int k = 0; k < 3; ++k) out[k] = unit * x[k];
}

}  // namespace

struct CoalDistance::Work {
  coal::GJKSolver solver;
  std::vector<Hull> hulls;
  Side a, b;

  const coal::ShapeBase* place(const CoalShape& shape, const double* origin, double unit, Side& side);
};

bool CoalDistance::available() { return true; }

CoalDistance::CoalDistance() : work_(std::make_unique<Work>()) {
  coal::GJKSolver& solver = work_->solver;
  solver.gjk_tolerance = kTolerance;
  solver.epa_tolerance = kTolerance;
  solver.epa_max_iterations = kEpaIterations;
  solver.gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;
}

CoalDistance::~CoalDistance() = default;

int CoalDistance::addHull(const double* xyz, int vertices, const int* corners, int triangles) {
  auto points = std::make_shared<std::vector<coal::Vec3s>>();
  for (int k = 0; k < vertices; ++k) points->emplace_back(xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]);
  auto faces = std::make_shared<std::vector<coal::Triangle>>();
  for (int k = 0; k < triangles; ++k) {
    faces->emplace_back(corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]);
  }
  work_->hulls.push_back({*points, points, nullptr});
  work_->hulls.back().convex = std::make_unique<coal::Convex<coal::Triangle>>(
      points, static_cast<unsigned>(vertices), faces, static_cast<unsigned>(triangles));
  return static_cast<int>(work_->hulls.size()) - 1;
}

// The shape in units, at a pose relative to `origin`.
const coal::ShapeBase* CoalDistance::Work::place(const CoalShape& shape, const double* origin,
                                                 double unit, Side& side) {
  const auto& s = shape.size;
  side.X.setTransform(
      Eigen::Map<const coal::Matrix3s>(shape.R),
      (Eigen::Map<const coal::Vec3s>(shape.p) - Eigen::Map<const coal::Vec3s>(origin)) / unit);
  switch (shape.kind) {
    case CoalShape::Kind::sphere:
      side.sphere.radius = s[0] / unit;
      return &side.sphere;
    case CoalShape::Kind::box:
      side.box.halfSide = coal::Vec3s(s[0], s[1], s[2]) / unit;
      return &side.box;
    case CoalShape::Kind::capsule: return setRound(shape, unit, side.capsule);
    case CoalShape::Kind::cylinder: return setRound(shape, unit, side.cylinder);
    case CoalShape::Kind::cone: return setRound(shape, unit, side.cone);
    case CoalShape::Kind::ellipsoid:
      side.ellipsoid.radii = coal::Vec3s(s[0], s[1], s[2]) / unit;
      return &side.ellipsoid;
    case CoalShape::Kind::hull:
      hulls[shape.hull].setUnit(unit);
      return hulls[shape.hull].convex.get();
    default:
      side.triangle.a = Eigen::Map<const coal::Vec3s>(shape.vertices) / unit;
      side.triangle.b = Eigen::Map<const coal::Vec3s>(shape.vertices + 3) / unit;
      side.triangle.c = Eigen::Map<const coal::Vec3s>(shape.vertices + 6) / unit;
      return &side.triangle;
  }
}

bool CoalDistance::calc(const CoalShape& a, const CoalShape& b, double unit, CoalWitness& result) {
  const coal::ShapeBase* shape_a = work_->place(a, a.p, unit, work_->a);
  const coal::ShapeBase* shape_b = work_->place(b, a.p, unit, work_->b);
  // The same start every time: the answer does not depend on what was asked before.
  const coal::Vec3s apart = work_->a.X.getRotation().transpose() * work_->b.X.getTranslation();
  work_->solver.cached_guess = apart.norm() > 1e-6 ? coal::Vec3s(-apart) : coal::Vec3s::UnitX();
  work_->solver.support_func_cached_guess.setZero();
  coal::Vec3s point_a, point_b, normal;
  const double distance = work_->solver.shapeDistance(*shape_a, work_->a.X, *shape_b, work_->b.X, true,
                                                      point_a, point_b, normal);
  const double length = normal.norm();
  if (!std::isfinite(distance) || !point_a.allFinite() || !point_b.allFinite() ||
      !(std::abs(length - 1.0) < 0.5)) {
    return false;
  }
  result.distance = unit * distance;
  store(normal / length, 1.0, result.normal);
  store(point_a, unit, result.point_a);
  store(point_b, unit, result.point_b);
  for (int k = 0; k < 3; ++k) {
    result.point_a[k] += a.p[k];
    result.point_b[k] += a.p[k];
  }
  return true;
}

}  // namespace cornet
