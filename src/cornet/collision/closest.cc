#include "cornet/collision/closest.h"

#include <algorithm>

#include <Eigen/Geometry>

namespace cornet {

double closestOnSegment(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
  const Vector3d d = b - a;
  const double length2 = d.squaredNorm();
  return length2 > 0.0 ? std::clamp((p - a).dot(d) / length2, 0.0, 1.0) : 0.0;
}

SegmentPair closestOnSegments(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0,
                              const Vector3d& b1) {
  constexpr double kParallel = 1e-24;  // sine squared
  const Vector3d u = a1 - a0;
  const Vector3d v = b1 - b0;
  const Vector3d w = a0 - b0;
  const double uu = u.squaredNorm();
  const double vv = v.squaredNorm();
  const double uv = u.dot(v);
  // The determinant from the cross product keeps its digits for small angles.
  const double det = u.cross(v).squaredNorm();
  const bool parallel = det <= kParallel * uu * vv;
  double s = parallel ? 0.5 : std::clamp((uv * v.dot(w) - vv * u.dot(w)) / det, 0.0, 1.0);
  double t = (uv * s + v.dot(w)) / vv;
  if (t < 0.0 || t > 1.0) {
    t = std::clamp(t, 0.0, 1.0);
    s = std::clamp((uv * t - u.dot(w)) / uu, 0.0, 1.0);
  }
  return {s, t, parallel};
}

}  // namespace cornet
