#pragma once

#include "cornet/collision/curved/patch.h"
#include "cornet/collision/manifold.h"

namespace cornet {

/// Contact points of two convex shapes, at least one of them round, given the direction n in which they
/// touch. Each offers the patch that faces the other; the corners of their overlap along n are contacts:
///
///   corner or rim point of one over the other's plane     it, and the point of the plane under it
///   edge or side line across an edge or rim               a point on each
///   two side lines, nearly parallel                       ends beside the other, each with its own normal
///   the closest points, where none of these is as deep                                         (COL-16)
///
/// each with its own gap and points on both surfaces. Rim points are fixed on their shape, so that a
/// standing cylinder keeps its contacts when it is jittered.
class CurvedManifold {
 public:
  /// Appends the contacts, in the frame of the shapes.
  void add(const PlacedConvex& a, const PlacedConvex& b, const Separation& separation,
           const ManifoldOptions& options, Manifold& manifold);

 private:
  Patch a_, b_;
};

}  // namespace cornet
