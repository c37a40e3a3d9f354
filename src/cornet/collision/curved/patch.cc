#include "cornet/collision/curved/patch.h"

#include <cmath>
#include <numbers>

namespace cornet {
namespace {

constexpr double kSteepPatch = 0.1;  // cosine: a face steeper than this has no height along n
constexpr int kRimPoints = 6;
// Names of corners: vertices of polyhedra are smaller.
constexpr int kRimName = 0x20000;
constexpr int kEndName = 0x40000;

Vector3d radialOf(const Vector3d& d) {
  const double length = std::hypot(d.x(), d.y());
  return length > 0.0 ? Vector3d(d.x() / length, d.y() / length, 0.0) : Vector3d(Vector3d::UnitX());
}

void takeFace(const PlacedConvex& shape, const Vector3d& d, Patch& patch) {
  const Polyhedron& polyhedron = *shape.polyhedron();
  const int face = polyhedron.supportFace(d);
  patch.normal = shape.pose().R * polyhedron.faces()[face].normal;
  if (!(polyhedron.faces()[face].normal.dot(d) > kSteepPatch)) return;
  patch.kind = Patch::Kind::polygon;
  for (const int v : polyhedron.loop(face)) {
    if (patch.count == Patch::kMaxCorners) break;
    patch.name[patch.count] = v;
    patch.corner[patch.count++] = shape.pose() * polyhedron.vertices()[v];
  }
  patch.centre = patch.corner[0];
}

void takeDisc(const PlacedConvex& shape, double z, double sign, double radius, Patch& patch) {
  patch.kind = Patch::Kind::disc;
  patch.normal = sign * shape.pose().R.col(2);
  patch.centre = shape.pose() * Vector3d(0.0, 0.0, z);
  patch.radius = radius;
  for (int k = 0; k < kRimPoints; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kRimPoints;
    patch.name[k] = kRimName + (sign > 0.0 ? 16 : 0) + k;
    patch.corner[k] = shape.pose() * Vector3d(radius * std::cos(angle), radius * std::sin(angle), z);
  }
  patch.count = kRimPoints;
}

void takeSide(const PlacedConvex& shape, const Vector3d& n, Patch& patch) {
  patch.kind = Patch::Kind::segment;
  patch.count = 2;
  for (int k = 0; k < 2; ++k) {
    patch.name[k] = kEndName + k;
    patch.corner[k] = endOfSide(shape, k, n);
  }
}

// Normals of the side of a cone: across and along the axis.
void slopeOf(const Cone& cone, double& across, double& along) {
  const double slant = std::hypot(2.0 * cone.half_length, cone.radius);
  across = 2.0 * cone.half_length / slant;
  along = cone.radius / slant;
}

}  // namespace

void Patch::take(const PlacedConvex& shape, const Vector3d& n) {
  kind = Kind::point;
  count = 0;
  const Vector3d d = shape.pose().R.transpose() * n;
  if (shape.polyhedron() != nullptr) return takeFace(shape, d, *this);
  const double across = std::hypot(d.x(), d.y());
  if (const Cylinder* s = std::get_if<Cylinder>(shape.shape())) {
    const double sign = d.z() < 0.0 ? -1.0 : 1.0;
    if (std::abs(d.z()) > across) return takeDisc(shape, sign * s->half_length, sign, s->radius, *this);
    return takeSide(shape, n, *this);
  }
  if (const Cone* s = std::get_if<Cone>(shape.shape())) {
    double side_across = 0.0, side_along = 0.0;
    slopeOf(*s, side_across, side_along);
    const bool is_base = -d.z() > side_across * across + side_along * d.z();
    if (is_base) return takeDisc(shape, -s->half_length, -1.0, s->radius, *this);
    return takeSide(shape, n, *this);
  }
  if (std::holds_alternative<Capsule>(*shape.shape())) takeSide(shape, n, *this);
}

bool Patch::cover(const Vector3d& n, double slack, Vector3d& x) const {
  x += normal.dot(centre - x) / normal.dot(n) * n;
  if (kind == Kind::disc) return (x - centre).norm() <= radius + slack;
  for (int k = 0; k < count; ++k) {
    const Vector3d along = corner[(k + 1) % count] - corner[k];
    if (normal.cross(along).dot(x - corner[k]) < -slack * along.norm()) return false;
  }
  return true;
}

Vector3d endOfSide(const PlacedConvex& shape, int k, const Vector3d& n) {
  const Vector3d d = shape.pose().R.transpose() * n;
  const double sign = k == 0 ? -1.0 : 1.0;
  if (const Capsule* s = std::get_if<Capsule>(shape.shape())) {
    return shape.pose() * Vector3d(s->radius * radialOf(d) + Vector3d(0.0, 0.0, sign * s->half_length));
  }
  if (const Cylinder* s = std::get_if<Cylinder>(shape.shape())) {
    return shape.pose() * Vector3d(s->radius * radialOf(d) + Vector3d(0.0, 0.0, sign * s->half_length));
  }
  const Cone& cone = std::get<Cone>(*shape.shape());
  const Vector3d end(0.0, 0.0, sign * cone.half_length);
  return shape.pose() * (k == 0 ? Vector3d(cone.radius * radialOf(d) + end) : end);
}

bool closestOnSide(const PlacedConvex& shape, const Vector3d& x, Vector3d& foot, Vector3d& normal) {
  const Vector3d local = shape.pose().R.transpose() * (x - shape.pose().p);
  if (!(std::hypot(local.x(), local.y()) > 0.0)) return false;
  Vector3d m = radialOf(local);
  double half_length = 0.0;
  Vector3d on_side = Vector3d::Zero();
  if (const Cone* cone = std::get_if<Cone>(shape.shape())) {
    double across = 0.0, along = 0.0;
    slopeOf(*cone, across, along);
    half_length = cone->half_length;
    m = across * m + Vector3d(0.0, 0.0, along);
    on_side = local - m.dot(local - Vector3d(0.0, 0.0, half_length)) * m;
  } else {
    const Capsule* capsule = std::get_if<Capsule>(shape.shape());
    const Cylinder* cylinder = std::get_if<Cylinder>(shape.shape());
    half_length = capsule != nullptr ? capsule->half_length : cylinder->half_length;
    on_side = (capsule != nullptr ? capsule->radius : cylinder->radius) * m + Vector3d(0.0, 0.0, local.z());
  }
  foot = shape.pose() * on_side;
  normal = shape.pose().R * m;
  return std::abs(on_side.z()) <= half_length * (1.0 + 1e-7);
}

}  // namespace cornet
