#pragma once

#include "cornet/math/types.h"

/// Closest points of points, segments and boxes, in closed form.
namespace cornet {

/// Sine between edges: with a smaller one they have no direction across.
inline constexpr double kParallelSine = 1e-8;
/// Of the size: points nearer than this are one and have no direction.
inline constexpr double kCoincident = 5e-13;

/// Parameter in [0, 1] of the point of segment (a, b) closest to p.
double closestOnSegment(const Vector3d& p, const Vector3d& a, const Vector3d& b);

struct SegmentPair {
  double s, t;      // parameters on (a0, a1) and (b0, b1)
  bool parallel;    // no unique pair: one of many closest ones is given
};
/// Closest points of two segments. [ericson2005]
SegmentPair closestOnSegments(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0,
                              const Vector3d& b1);

}  // namespace cornet
