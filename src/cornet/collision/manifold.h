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

/// Appends the contacts, in the frame of the cores. The separation must be theirs.
void addManifold(const PlacedCore& a, const PlacedCore& b, const Separation& separation,
                 const ManifoldOptions& options, Manifold& manifold);

/// Keeps at most options.max_points of the contacts from `first` on, the deepest and those furthest from each
/// other, lengths that differ by less than `equal` being the same; orders them by key.
void finishManifold(std::size_t first, double equal, const ManifoldOptions& options, Manifold& manifold);

}  // namespace cornet
