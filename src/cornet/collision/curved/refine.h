#pragma once

#include <vector>

#include "cornet/collision/curved/placed_convex.h"
#include "cornet/collision/separation.h"

/// The exact direction in which two convex shapes are separated, from an approximate one.
///
///   g(n) = -h_B(-n) - h_A(n),  |n| = 1                                                        (COL-14)
///
/// is a lower bound of the signed distance for every n and reaches it at the best n: apart from A to B,
/// overlapping -depth. There n is normal to a piece of either surface, with points x_A, x_B on them:
///
///   x_B - x_A = d n,   J_Aᵀ n = 0,   J_Bᵀ n = 0                                              (COL-15)
///
/// solved by Newton's method for pairs of pieces near the given direction; d = 0 is no special case. A
/// solution whose points are furthest along n is the answer; of several, or when none is found, the largest
/// g decides, so that the result is never worse than what was given.
namespace cornet {

class Refiner {
 public:
  /// Where pieces are looked for: near the given direction, or all about the furthest points.
  enum class Search { near, far };

  /// `result` holds an approximate normal and points, and gets the refined ones. False when no pair of
  /// pieces proved itself: the result is then the best direction seen.
  bool refine(const PlacedConvex& a, const PlacedConvex& b, Search search, Separation& result);

 private:
  bool improve(const PlacedConvex& a, const PlacedConvex& b, Search search, Separation& result);

  std::vector<Piece> pieces_a_, pieces_b_;
};

/// (COL-14).
double separationAlong(const PlacedConvex& a, const PlacedConvex& b, const Vector3d& n);

}  // namespace cornet
