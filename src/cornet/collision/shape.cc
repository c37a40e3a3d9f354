#include "cornet/collision/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

// One function object for all alternatives.
template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

void requireSize(std::string_view name, const char* what, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw std::invalid_argument(
      fmt::format("{}: {} = {} m: expected a finite number > 0", name, what, value));
}

void requireSizes(std::string_view name, const char* what, const Vector3d& sizes) {
  for (int k = 0; k < 3; ++k) {
    if (sizes[k] > 0.0 && std::isfinite(sizes[k])) continue;
    throw std::invalid_argument(fmt::format("{}: {} = ({}, {}, {}) m: expected finite numbers > 0",
                                            name, what, sizes.x(), sizes.y(), sizes.z()));
  }
}

Vector3d furthest(const std::vector<Vector3d>& points, const Vector3d& d) {
  return *std::ranges::max_element(points, {}, [&d](const Vector3d& x) { return x.dot(d); });
}

double signOf(double x) { return x < 0.0 ? -1.0 : 1.0; }

Vector3d radial(const Vector3d& d, double radius) {
  const double length = std::hypot(d.x(), d.y());
  if (!(length > 0.0)) return Vector3d::Zero();
  return {radius * d.x() / length, radius * d.y() / length, 0.0};
}

// Volume and principal moments of a solid centred at `centre` on z.
VolumeProperties makeSolid(double volume, double centre, const Vector3d& moments_per_volume) {
  VolumeProperties result;
  result.volume = volume;
  result.centre = Vector3d(0.0, 0.0, centre);
  result.inertia = (volume * moments_per_volume).asDiagonal();
  return result;
}

VolumeProperties ofCapsule(const Capsule& shape) {
  const double r = shape.radius;
  const double h = shape.half_length;
  const double pi = std::numbers::pi;
  const double cylinder = 2.0 * pi * r * r * h;
  const double ball = 4.0 / 3.0 * pi * r * r * r;
  // Half balls about the centre of the capsule: their own centres are 3/8 r beyond the ends.
  const double axial = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
  const double across = cylinder * (r * r / 4.0 + h * h / 3.0) +
                        ball * (0.4 * r * r + h * h + 0.75 * h * r);
  VolumeProperties result;
  result.volume = cylinder + ball;
  result.inertia = Vector3d(across, across, axial).asDiagonal();
  return result;
}

}  // namespace

Box::Box(const Vector3d& half_extents) : half_(half_extents) {
  requireSizes("box", "half_extents", half_extents);
  polyhedron_ = Polyhedron::makeBox(half_extents);
}

ConvexHull::ConvexHull(std::span<const Vector3d> points)
    : polyhedron_(Polyhedron::makeHull(points, "convex hull")) {}

const TriangleMesh* surfaceOf(const Shape& shape) {
  if (const HeightField* field = std::get_if<HeightField>(&shape)) return &field->surface();
  return std::get_if<TriangleMesh>(&shape);
}

bool isUnbounded(const Shape& shape) {
  return std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<Bowl>(shape);
}

bool isStatic(const Shape& shape) { return isUnbounded(shape) || surfaceOf(shape) != nullptr; }

std::string_view nameOf(const Shape& shape) {
  constexpr std::array names = {"sphere",        "box",          "capsule",     "cylinder",
                                "cone",          "ellipsoid",    "convex hull", "half-space",
                                "triangle mesh", "height field", "bowl"};
  return names[shape.index()];
}

void validate(const Shape& shape, std::string_view name) {
  std::visit(Match{[&](const Sphere& s) { requireSize(name, "radius", s.radius); },
                   [&](const Box&) {},
                   [&](const Capsule& s) {
                     requireSize(name, "radius", s.radius);
                     requireSize(name, "half_length", s.half_length);
                   },
                   [&](const Cylinder& s) {
                     requireSize(name, "radius", s.radius);
                     requireSize(name, "half_length", s.half_length);
                   },
                   [&](const Cone& s) {
                     requireSize(name, "radius", s.radius);
                     requireSize(name, "half_length", s.half_length);
                   },
                   [&](const Ellipsoid& s) { requireSizes(name, "radii", s.radii); },
                   [&](const ConvexHull&) {}, [&](const HalfSpace&) {},
                   [&](const TriangleMesh&) {}, [&](const HeightField&) {},
                   [&](const Bowl& s) { requireSize(name, "radius", s.radius); }},
             shape);
}

Vector3d calcSupport(const Shape& shape, const Vector3d& d) {
  return std::visit(
      Match{[&](const Sphere& s) -> Vector3d { return s.radius * d.normalized(); },
            [&](const Box& s) -> Vector3d {
              return {signOf(d.x()) * s.half().x(), signOf(d.y()) * s.half().y(),
                      signOf(d.z()) * s.half().z()};
            },
            [&](const Capsule& s) -> Vector3d {
              return s.radius * d.normalized() +
                     Vector3d(0.0, 0.0, signOf(d.z()) * s.half_length);
            },
            [&](const Cylinder& s) -> Vector3d {
              return radial(d, s.radius) + Vector3d(0.0, 0.0, signOf(d.z()) * s.half_length);
            },
            [&](const Cone& s) -> Vector3d {
              const Vector3d apex(0.0, 0.0, s.half_length);
              const Vector3d rim = radial(d, s.radius) - apex;
              return apex.dot(d) > rim.dot(d) ? apex : rim;
            },
            [&](const Ellipsoid& s) -> Vector3d {
              const Vector3d scaled = s.radii.cwiseProduct(d);
              return s.radii.cwiseProduct(scaled.normalized());
            },
            [&](const ConvexHull& s) -> Vector3d {
              return s.polyhedron().vertices()[s.polyhedron().supportVertex(d)];
            },
            [&](const HalfSpace&) -> Vector3d {
              throw std::invalid_argument("a half-space has no furthest point");
            },
            [&](const TriangleMesh& s) -> Vector3d { return furthest(s.vertices(), d); },
            [&](const HeightField& s) -> Vector3d { return furthest(s.surface().vertices(), d); },
            [&](const Bowl&) -> Vector3d {
              throw std::invalid_argument("a bowl has no furthest point");
            }},
      shape);
}

Bounds calcBounds(const Shape& shape, const Pose& X_WS) {
  if (isUnbounded(shape)) {
    return {Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)};
  }
  if (const Box* box = std::get_if<Box>(&shape)) {
    const Vector3d reach = X_WS.R.cwiseAbs() * box->half();
    return {X_WS.p - reach, X_WS.p + reach};
  }
  Bounds bounds;
  if (const TriangleMesh* surface = surfaceOf(shape)) {
    // The turned box of the whole, so that its cost does not depend on the number of triangles.
    const Bounds own = surface->tree().bounds();
    const Vector3d centre = X_WS * Vector3d(0.5 * (own.lower + own.upper));
    const Vector3d reach = X_WS.R.cwiseAbs() * (0.5 * (own.upper - own.lower));
    return {centre - reach, centre + reach};
  }
  for (int k = 0; k < 3; ++k) {
    const Vector3d d = X_WS.R.row(k).transpose();
    bounds.lower[k] = X_WS.p[k] + d.dot(calcSupport(shape, -d));
    bounds.upper[k] = X_WS.p[k] + d.dot(calcSupport(shape, d));
  }
  return bounds;
}

VolumeProperties calcVolumeProperties(const Shape& shape) {
  const double pi = std::numbers::pi;
  return std::visit(
      Match{[&](const Sphere& s) {
              const double r2 = s.radius * s.radius;
              return makeSolid(4.0 / 3.0 * pi * r2 * s.radius, 0.0, Vector3d::Constant(0.4 * r2));
            },
            [&](const Box& s) {
              const Vector3d q = s.half().cwiseAbs2();
              return makeSolid(8.0 * s.half().prod(), 0.0,
                               (Vector3d::Constant(q.sum()) - q) / 3.0);
            },
            [&](const Capsule& s) { return ofCapsule(s); },
            [&](const Cylinder& s) {
              const double r2 = s.radius * s.radius;
              const double across = r2 / 4.0 + s.half_length * s.half_length / 3.0;
              return makeSolid(2.0 * pi * r2 * s.half_length, 0.0,
                               Vector3d(across, across, r2 / 2.0));
            },
            [&](const Cone& s) {
              const double r2 = s.radius * s.radius;
              const double height = 2.0 * s.half_length;
              const double across = 3.0 / 20.0 * r2 + 3.0 / 80.0 * height * height;
              return makeSolid(pi * r2 * height / 3.0, -0.5 * s.half_length,
                               Vector3d(across, across, 0.3 * r2));
            },
            [&](const Ellipsoid& s) {
              const Vector3d q = s.radii.cwiseAbs2();
              return makeSolid(4.0 / 3.0 * pi * s.radii.prod(), 0.0,
                               (Vector3d::Constant(q.sum()) - q) / 5.0);
            },
            [&](const ConvexHull& s) { return s.polyhedron().calcVolumeProperties(); },
            [&](const HalfSpace&) -> VolumeProperties {
              throw std::invalid_argument("a half-space has no volume; give its body a mass, or fix it");
            },
            [&](const TriangleMesh& s) { return s.calcVolumeProperties(); },
            [&](const HeightField&) -> VolumeProperties {
              throw std::invalid_argument("a height field has no volume; its body must be fixed");
            },
            [&](const Bowl&) -> VolumeProperties {
              throw std::invalid_argument("a bowl has no volume; its body must be fixed");
            }},
      shape);
}

}  // namespace cornet
