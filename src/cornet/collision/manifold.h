#pragma once

#include "cornet/collision/contact_set.h"
#include "cornet/collision/separation.h"

/// Contact points of two cores, given the direction n in which they touch.
///
/// Each core offers the feature that faces the other: a point, a segment, or the face whose normal is
/// most along n. Both are projected along n; the corners of their overlap are the contacts:
///
///   corner of one inside the other     that corner, and the point of the other's plane under it
///   two edges that cross               a point on each
///
/// each with its own gap n·(p_B - p_A) and points on both surfaces.                            (COL-3)
/// Corners closer than 1e-7 of the size are one contact, named after the vertices it is near to, so
/// that its key does not change when they slide past each other by rounding. Where features do not
/// overlap the closest points are the one contact.
namespace cornet {

struct ManifoldOptions {
  double margin = 0.0;  // [m] contacts with a larger gap are left out
  int max_points = 8;   // at least 4
};

/// The side of a shape that faces another: a point, a segment, or a convex polygon.
struct ContactSide {
  static constexpr int kMaxCorners = 64;
  static constexpr int kNone = 0xffff;

  int face = kNone;               // kNone: a point or segment
  int count = 0;                  // of corners
  bool has_plane = false;         // a polygon that is not seen from its edge
  Vector3d normal = Vector3d::Zero();  // of the polygon, outward
  double radius = 0.0;            // what the side is rounded by
  double size = 0.0;              // a length of the shape that rounding is compared with
  int index[kMaxCorners];         // vertices by their place in the shape
  Vector3d corner[kMaxCorners];
  // As seen along the normal of the contact, by addOverlap.
  Vector2d flat[kMaxCorners];     // corners
  Vector2d along[kMaxCorners];    // from corner to next, and its length
  double length[kMaxCorners];
  double turn = 1.0;              // -1: the loop runs clockwise

  void add(int vertex, const Vector3d& x) {
    if (count == kMaxCorners) return;  // more are left out
    index[count] = vertex;
    corner[count++] = x;
  }
  /// Makes it a polygon with this normal, seen in the direction `toward`.
  void setPlane(const Vector3d& outward, const Vector3d& toward);
};

/// Key of the contact where a separation is measured, when it is no corner or crossing of the sides.
constexpr std::uint64_t kDeepestKey = 5ULL << 48;

/// The side of a core that faces in the direction `toward`.
void takeSide(const PlacedCore& core, const Vector3d& toward, ContactSide& side);

/// Appends the contacts of two sides along separation.normal. Where they do not overlap, or their
/// corners miss the place where the separation is measured, that is a contact too, unless the
/// separation's distance is infinite.
void addOverlap(ContactSide& a, ContactSide& b, const Separation& separation,
                const ManifoldOptions& options, Manifold& manifold);

/// Appends the contacts, in the frame of the cores. The separation must be theirs.
void addManifold(const PlacedCore& a, const PlacedCore& b, const Separation& separation,
                 const ManifoldOptions& options, Manifold& manifold);

/// Keeps at most options.max_points of the contacts from `first` on, the deepest and those furthest from each
/// other, lengths that differ by less than `equal` being the same; orders them by key.
void finishManifold(std::size_t first, double equal, const ManifoldOptions& options, Manifold& manifold);

}  // namespace cornet
