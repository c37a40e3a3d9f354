#pragma once

#include "cornet/collision/curved/placed_convex.h"

/// The side of a convex shape that faces a direction n: what two shapes that touch may share.
///
///   polygon    the face of a polyhedron most along n
///   disc       the base of a cylinder or cone, with six rim points that are fixed on it
///   segment    the line of a capsule, cylinder or cone that is furthest along n
///   point      spheres, ellipsoids
namespace cornet {

struct Patch {
  enum class Kind : std::uint8_t { point, segment, polygon, disc };
  static constexpr int kMaxCorners = 64;  // of a face; more are left out

  Kind kind = Kind::point;
  int count = 0;
  Vector3d corner[kMaxCorners];
  int name[kMaxCorners];                // of a corner, among all of the shape
  Vector3d normal = Vector3d::Zero();   // of a polygon or disc
  Vector3d centre = Vector3d::Zero();   // a point of its plane; the centre of a disc
  double radius = 0.0;                  // of a disc

  bool isFlat() const { return kind == Kind::polygon || kind == Kind::disc; }
  int edges() const { return kind == Kind::polygon ? count : kind == Kind::segment ? 1 : 0; }

  void take(const PlacedConvex& shape, const Vector3d& n);
  /// Moves x along n onto the plane of a polygon or disc. False when it misses that by more than `slack`.
  bool cover(const Vector3d& n, double slack, Vector3d& x) const;
};

/// End k of the line of a capsule, cylinder or cone that is furthest along n.
Vector3d endOfSide(const PlacedConvex& shape, int k, const Vector3d& n);

/// The point of the side of a capsule, cylinder or cone that is closest to x, and its outward normal.
/// False when that is beyond an end.
bool closestOnSide(const PlacedConvex& shape, const Vector3d& x, Vector3d& foot, Vector3d& normal);

}  // namespace cornet
