#pragma once

#include <memory>
#include <vector>

#include "cornet/collision/curved/refine.h"

/// Signed distance of any two convex shapes: a direction by coal, made exact by `Refiner`.
namespace cornet {

class CoalDistance;
struct CoalShape;

class CurvedPair {
 public:
  /// Whether the library was built with coal; without it nothing here may be called.
  static bool available();

  CurvedPair();
  ~CurvedPair();

  /// The separation of the shapes themselves, not of their cores. False, and nothing said, when they are
  /// further apart than `limit`.
  bool separate(const PlacedConvex& a, const PlacedConvex& b, double limit, Separation& result);

 private:
  int hullOf(const Polyhedron& polyhedron);
  CoalShape describeFor(const PlacedConvex& placed);
  bool guess(const PlacedConvex& a, const PlacedConvex& b, const Vector3d& shift,
             Separation& result);
  bool approach(const PlacedConvex& a, const PlacedConvex& b, double expected, Separation& best);

  std::unique_ptr<CoalDistance> coal_;
  std::vector<std::pair<std::uint64_t, int>> hulls_;  // Polyhedron::id() and coal's handle, sorted
  Refiner refiner_;
};

}  // namespace cornet
