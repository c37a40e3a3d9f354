#include "cornet/collision/half_space.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

// Collects points of B with their height over the plane.
class Lowest {
 public:
  Lowest(const Pose& X_FA, const Pose& X_FB, const ManifoldOptions& options, Manifold& manifold)
      : n_(X_FA.R.col(2)),
        origin_(X_FA.p),
        X_FB_(X_FB),
        options_(options),
        manifold_(manifold) {}

  // Down, in the axes of B.
  Vector3d down() const { return -(X_FB_.R.transpose() * n_); }

  // A point fixed on B, rounded by a radius.
  void add(const Vector3d& point_B, double radius, std::uint64_t key) {
    addPoint(X_FB_ * point_B - radius * n_, key);
    if (manifold_.empty() || manifold_.back().key != key) return;
    ContactFeature& feature = manifold_.back().feature;
    feature.normal_from = ContactFeature::NormalFrom::plane_a;
    feature.from_a = n_;
    feature.a = {Element::Kind::plane, origin_, n_};
    feature.b.base = X_FB_ * point_B;
    feature.radius_b = radius;
  }
  // A point that moves on B when B turns.
  void addSupport(const Vector3d& point_B, std::uint64_t key) {
    addPoint(X_FB_ * point_B, key);
    if (manifold_.empty() || manifold_.back().key != key) return;
    manifold_.back().feature.normal_from = ContactFeature::NormalFrom::support;
  }
  // The lowest point of a rim with centre and radius, and the three a quarter turn on.
  void addRim(double z, double radius, std::uint64_t key) {
    const Vector3d d = down();
    const double slope = std::hypot(d.x(), d.y());
    const Vector3d lowest = slope > 0.0 ? Vector3d(d.x() / slope, d.y() / slope, 0.0) : Vector3d::UnitX();
    const Vector3d aside(-lowest.y(), lowest.x(), 0.0);
    const Vector3d centre(0.0, 0.0, z);
    addSupport(centre + radius * lowest, key);
    addSupport(centre + radius * aside, key + 1);
    addSupport(centre - radius * aside, key + 2);
    addSupport(centre - radius * lowest, key + 3);
  }

 private:
  void addPoint(const Vector3d& point, std::uint64_t key) {
    const double gap = n_.dot(point - origin_);
    if (gap <= options_.margin) manifold_.push_back({point - gap * n_, point, n_, gap, key, {}});
  }

  Vector3d n_;
  Vector3d origin_;
  Pose X_FB_;
  const ManifoldOptions& options_;
  Manifold& manifold_;
};

// Which end of the axis is lower comes first; level is up.
double lowerEnd(double down_z) { return down_z > 0.0 ? 1.0 : -1.0; }

void addPolyhedron(const Polyhedron& polyhedron, Lowest& lowest) {
  const Vector3d down = lowest.down();
  const int face = polyhedron.supportFace(down);
  const int deepest = polyhedron.supportVertex(down);
  bool found = false;
  for (const int v : polyhedron.loop(face)) {
    lowest.add(polyhedron.vertices()[v], 0.0, 6ULL << 48 | static_cast<unsigned>(v));
    found |= v == deepest;
  }
  if (!found) {
    lowest.add(polyhedron.vertices()[deepest], 0.0, 6ULL << 48 | static_cast<unsigned>(deepest));
  }
}

void addCapsule(const Capsule& capsule, Lowest& lowest) {
  lowest.add(Vector3d(0.0, 0.0, -capsule.half_length), capsule.radius, 7ULL << 48);
  lowest.add(Vector3d(0.0, 0.0, capsule.half_length), capsule.radius, 7ULL << 48 | 1);
}

// The lower rim, and the lowest point of the upper one: a lying cylinder rests on two points.
void addCylinder(const Cylinder& cylinder, Lowest& lowest) {
  const Vector3d down = lowest.down();
  const double end = lowerEnd(down.z());
  const double slope = std::hypot(down.x(), down.y());
  lowest.addRim(end * cylinder.half_length, cylinder.radius, 8ULL << 48 | (end > 0.0 ? 16u : 0u));
  if (!(slope > 0.0)) return;
  lowest.addSupport(Vector3d(cylinder.radius * down.x() / slope,
                             cylinder.radius * down.y() / slope, -end * cylinder.half_length),
                    8ULL << 48 | (end > 0.0 ? 0u : 16u));
}

void addCone(const Cone& cone, Lowest& lowest) {
  lowest.add(Vector3d(0.0, 0.0, cone.half_length), 0.0, 9ULL << 48 | 8);
  lowest.addRim(-cone.half_length, cone.radius, 9ULL << 48);
}

}  // namespace

void addHalfSpaceManifold(const Pose& X_FA, const Shape& shape, const Pose& X_FB,
                          const ManifoldOptions& options, Manifold& manifold) {
  Lowest lowest(X_FA, X_FB, options, manifold);
  if (const Box* box = std::get_if<Box>(&shape)) {
    addPolyhedron(box->polyhedron(), lowest);
  } else if (const ConvexHull* hull = std::get_if<ConvexHull>(&shape)) {
    addPolyhedron(hull->polyhedron(), lowest);
  } else if (const Capsule* capsule = std::get_if<Capsule>(&shape)) {
    addCapsule(*capsule, lowest);
  } else if (const Cylinder* cylinder = std::get_if<Cylinder>(&shape)) {
    addCylinder(*cylinder, lowest);
  } else if (const Cone* cone = std::get_if<Cone>(&shape)) {
    addCone(*cone, lowest);
  } else if (const Sphere* sphere = std::get_if<Sphere>(&shape)) {
    lowest.add(Vector3d::Zero(), sphere->radius, 10ULL << 48);
  } else {
    lowest.addSupport(calcSupport(shape, lowest.down()), 10ULL << 48 | 1);
  }
}

}  // namespace cornet
