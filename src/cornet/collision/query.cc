#include "cornet/collision/query.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/collision/narrow_phase.h"
#include "cornet/collision/ray_interval.h"

namespace cornet {
namespace {

// ---- (COL-7) for each shape, in its own frame; normals need not be unit vectors

RayInterval clip(const Sphere& sphere, const Vector3d& o, const Vector3d& d) {
  RayInterval line(o, d);
  line.cutBall(Vector3d::Zero(), sphere.radius);
  return line;
}

void cutSlab(int axis, double half, RayInterval& line) {
  line.cutPlane(Vector3d::Unit(axis), half);
  line.cutPlane(-Vector3d::Unit(axis), half);
}

RayInterval clip(const Box& box, const Vector3d& o, const Vector3d& d) {
  RayInterval line(o, d);
  for (int k = 0; k < 3; ++k) cutSlab(k, box.half()[k], line);
  return line;
}

RayInterval clip(const Cylinder& cylinder, const Vector3d& o, const Vector3d& d) {
  RayInterval line(o, d);
  line.cutTube(cylinder.radius);
  cutSlab(2, cylinder.half_length, line);
  return line;
}

// A cylinder and a ball at either end: their union is convex, so it holds what is between two of its points.
RayInterval clip(const Capsule& capsule, const Vector3d& o, const Vector3d& d) {
  RayInterval line = clip(Cylinder{capsule.radius, capsule.half_length}, o, d);
  for (const double end : {-capsule.half_length, capsule.half_length}) {
    RayInterval ball(o, d);
    ball.cutBall(Vector3d(0.0, 0.0, end), capsule.radius);
    line.unite(ball);
  }
  return line;
}

RayInterval clip(const Cone& cone, const Vector3d& o, const Vector3d& d) {
  RayInterval line(o, d);
  line.cutCone(cone.half_length, 0.5 * cone.radius / cone.half_length);
  line.cutPlane(-Vector3d::UnitZ(), cone.half_length);
  return line;
}

RayInterval clip(const Ellipsoid& ellipsoid, const Vector3d& o, const Vector3d& d) {
  RayInterval line(o.cwiseQuotient(ellipsoid.radii), d.cwiseQuotient(ellipsoid.radii));
  line.cutBall(Vector3d::Zero(), 1.0);
  return line;
}

RayInterval clip(const ConvexHull& hull, const Vector3d& o, const Vector3d& d) {
  RayInterval line(o, d);
  for (const Polyhedron::Face& face : hull.polyhedron().faces()) {
    line.cutPlane(face.normal, face.offset);
  }
  return line;
}

RayInterval clip(const HalfSpace&, const Vector3d& o, const Vector3d& d) {
  RayInterval line(o, d);
  line.cutPlane(Vector3d::UnitZ(), 0.0);
  return line;
}

// ---- normals, in the frame of the shape

template <class AnyShape>
Vector3d normalAt(const AnyShape&, const RayInterval& line, const Vector3d&) {
  return line.normal();
}

// From the segment: where cylinder and ball meet the interval may have come from either.
Vector3d normalAt(const Capsule& capsule, const RayInterval&, const Vector3d& x) {
  return {x.x(), x.y(), x.z() - std::clamp(x.z(), -capsule.half_length, capsule.half_length)};
}

Vector3d normalAt(const Ellipsoid& ellipsoid, const RayInterval& line, const Vector3d&) {
  return line.normal().cwiseQuotient(ellipsoid.radii);
}

// Where the line o + t d meets a triangle, seen from either side; not a number when it does not. Signs of volumes
// decide, with slack for rounding, so that a ray through an edge or a vertex hits one of its triangles at least.
constexpr double kEdgeSlack = 1e-14;
double castTriangle(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& o,
                    const Vector3d& d) {
  const Vector3d p = a - o, q = b - o, r = c - o;
  const double u = d.dot(r.cross(q));
  const double v = d.dot(p.cross(r));
  const double w = d.dot(q.cross(p));
  const double slack = kEdgeSlack * std::max({p.squaredNorm(), q.squaredNorm(), r.squaredNorm()});
  if (std::min({u, v, w}) < -slack && std::max({u, v, w}) > slack) return std::numeric_limits<double>::quiet_NaN();
  const Vector3d normal = (b - a).cross(c - a);
  const double along = normal.dot(d);
  return along == 0.0 ? std::numeric_limits<double>::quiet_NaN() : normal.dot(p) / along;
}

template <class AnyShape>
std::optional<RayHit> cast(const AnyShape& shape, const Pose& X_WS, const Ray& ray) {
  const Vector3d direction = ray.direction.stableNormalized();
  // Counted from the point nearest to the origin of the shape's frame.
  const Vector3d d = X_WS.R.transpose() * direction;
  const Vector3d o = X_WS.R.transpose() * (ray.origin - X_WS.p);
  const double shift = -o.dot(d);
  const Vector3d nearest = o + shift * d;
  const RayInterval line = clip(shape, nearest, d);
  if (line.empty() || line.out() + shift < 0.0) return {};

  RayHit hit;
  hit.distance = std::max(0.0, line.in() + shift);
  if (hit.distance > ray.max_distance) return {};
  hit.inside = line.in() + shift < 0.0;
  if (hit.inside) {
    hit.point = ray.origin;
    hit.normal = -direction;
    return hit;
  }
  const Vector3d x = nearest + line.in() * d;
  hit.point = X_WS * x;
  hit.normal = (X_WS.R * normalAt(shape, line, x)).stableNormalized();
  return hit;
}

// The first triangle, seen from either side.
std::optional<RayHit> cast(const TriangleMesh& mesh, const Pose& X_WS, const Ray& ray) {
  const Vector3d direction = ray.direction.stableNormalized();
  const Vector3d d = X_WS.R.transpose() * direction;
  const Vector3d o = X_WS.R.transpose() * (ray.origin - X_WS.p);
  int nearest = -1;
  double distance = ray.max_distance;
  mesh.tree().visitRay(o, d, ray.max_distance, [&](int triangle, double& limit) {
    const double t = castTriangle(mesh.corner(triangle, 0), mesh.corner(triangle, 1),
                                  mesh.corner(triangle, 2), o, d);
    if (!(t >= 0.0 && t <= distance) || (t == distance && nearest >= 0 && triangle > nearest)) return;
    nearest = triangle;
    distance = limit = t;
  });
  if (nearest < 0) return {};
  return RayHit{distance, X_WS * Vector3d(o + distance * d), X_WS.R * mesh.calcNormal(nearest), false};
}

// From the hollow, where the ray leaves it; the rest of space is solid.
std::optional<RayHit> cast(const Bowl& bowl, const Pose& X_WS, const Ray& ray) {
  const Vector3d direction = ray.direction.stableNormalized();
  const Vector3d d = X_WS.R.transpose() * direction;
  const Vector3d o = X_WS.R.transpose() * (ray.origin - X_WS.p);
  const double from_centre = o.stableNorm();
  if (from_centre > bowl.radius) return RayHit{0.0, ray.origin, -direction, true};
  const double shift = -o.dot(d);
  const RayInterval hollow = clip(Sphere{bowl.radius}, o + shift * d, d);
  const bool starts_inside = from_centre < bowl.radius && !hollow.empty();
  const double distance = starts_inside ? std::max(0.0, hollow.out() + shift) : 0.0;
  if (distance > ray.max_distance) return {};
  const Vector3d x = o + distance * d;
  return RayHit{distance, X_WS * x, -(X_WS.R * x).stableNormalized(), false};
}

std::optional<RayHit> cast(const HeightField& field, const Pose& X_WS, const Ray& ray) {
  return cast(field.surface(), X_WS, ray);
}

}  // namespace

void validate(const Ray& ray) {
  const auto text = [](const Vector3d& x) { return fmt::format("({}, {}, {})", x.x(), x.y(), x.z()); };
  if (!ray.origin.allFinite()) {
    throw std::invalid_argument("ray: origin = " + text(ray.origin) + ": expected finite numbers");
  }
  if (!ray.direction.allFinite() || ray.direction.isZero(0.0)) {
    throw std::invalid_argument("ray: direction = " + text(ray.direction) +
                                ": expected finite numbers, not all 0");
  }
  if (!(ray.max_distance >= 0.0)) {
    throw std::invalid_argument(
        fmt::format("ray: max_distance = {} m: expected a number >= 0", ray.max_distance));
  }
}

std::optional<RayHit> rayCast(const Shape& shape, const Pose& X_WS, const Ray& ray) {
  validate(ray);
  if (!X_WS.p.allFinite() || !X_WS.R.allFinite()) {
    throw std::invalid_argument(fmt::format("{}: the pose is not finite", nameOf(shape)));
  }
  return std::visit([&](const auto& alternative) { return cast(alternative, X_WS, ray); }, shape);
}

bool overlap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  Manifold manifold;
  NarrowPhase().collide(a, X_WA, b, X_WB, {}, manifold);
  return !manifold.empty();
}

ManifoldPoint calcDistance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  return NarrowPhase().calcDistance(a, X_WA, b, X_WB);
}

}  // namespace cornet
