#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cornet/collision/bounds.h"
#include "cornet/collision/mesh/height_field.h"
#include "cornet/collision/mesh/triangle_mesh.h"
#include "cornet/collision/polyhedron.h"
#include "cornet/math/pose.h"

/// Shapes, each in a frame of its own. Sizes in metres.
///
///   Sphere        centre at the origin
///   Box           centre at the origin, half extents
///   Capsule       segment on z from -half_length to half_length, rounded by radius
///   Cylinder      axis z, from -half_length to half_length
///   Cone          axis z, base at -half_length, apex at half_length
///   Ellipsoid     semi-axes along x, y, z
///   ConvexHull    of points
///   HalfSpace     z ≤ 0 is solid
///   TriangleMesh  solid behind its triangles; for bodies that do not move
///   HeightField   solid below; for bodies that do not move
///   Bowl          solid outside of a sphere about the origin: a hollow; for bodies that do not move
namespace cornet {

struct Sphere {
  double radius = 0.5;
};

class Box {
 public:
  /// Throws std::invalid_argument unless all half extents are positive and finite.
  explicit Box(const Vector3d& half_extents);
  const Vector3d& half() const { return half_; }
  const Polyhedron& polyhedron() const { return polyhedron_; }

 private:
  Vector3d half_;
  Polyhedron polyhedron_;
};

struct Capsule {
  double radius = 0.5;
  double half_length = 0.5;
};

struct Cylinder {
  double radius = 0.5;
  double half_length = 0.5;
};

struct Cone {
  double radius = 0.5;
  double half_length = 0.5;
};

struct Ellipsoid {
  Vector3d radii = Vector3d::Constant(0.5);
};

class ConvexHull {
 public:
  /// Throws as Polyhedron::makeHull.
  explicit ConvexHull(std::span<const Vector3d> points);
  const Polyhedron& polyhedron() const { return polyhedron_; }

 private:
  Polyhedron polyhedron_;
};

struct HalfSpace {};

struct Bowl {
  double radius = 0.5;
};

using Shape = std::variant<Sphere, Box, Capsule, Cylinder, Cone, Ellipsoid, ConvexHull, HalfSpace,
                           TriangleMesh, HeightField, Bowl>;

/// The triangles of a mesh or height field; nullptr for every other shape.
const TriangleMesh* surfaceOf(const Shape& shape);

/// Whether a shape reaches to infinity: a half-space or bowl.
bool isUnbounded(const Shape& shape);

/// Whether a shape can only stand still: a half-space, bowl, mesh or height field. Two of them never touch.
bool isStatic(const Shape& shape);

/// "sphere", "box", ...
std::string_view nameOf(const Shape& shape);

/// Throws std::invalid_argument beginning with `name` when a size is not positive and finite.
void validate(const Shape& shape, std::string_view name);

/// Furthest point of a bounded shape along d, in its own frame. Not for a half-space or bowl; of a surface
/// any vertex that is furthest.
Vector3d calcSupport(const Shape& shape, const Vector3d& d);

/// World bounds; infinite for a half-space or bowl.
Bounds calcBounds(const Shape& shape, const Pose& X_WS);

/// Throws std::invalid_argument for a half-space, bowl or height field, which have none, and for meshes as
/// TriangleMesh::calcVolumeProperties.
VolumeProperties calcVolumeProperties(const Shape& shape);

}  // namespace cornet
