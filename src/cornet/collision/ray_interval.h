#pragma once

#include <limits>

#include "cornet/math/types.h"

/// The part of a line x(t) = o + t d that is in a convex solid, cut down constraint by constraint. (COL-7)
/// Quadrics are cut with discriminants as products of differences, in which nothing cancels.
namespace cornet {

class RayInterval {
 public:
  RayInterval(const Vector3d& o, const Vector3d& d) : o_(o), d_(d) {}

  bool empty() const { return !(in_ <= out_); }
  double in() const { return in_; }
  double out() const { return out_; }
  /// Outward normal where the line enters, not normalised; zero when it enters nowhere.
  const Vector3d& normal() const { return normal_; }
  Vector3d at(double t) const { return o_ + t * d_; }

  /// n·x ≤ c.
  void cutPlane(const Vector3d& n, double c);
  /// ‖x - centre‖ ≤ radius; the direction need not be a unit vector.
  void cutBall(const Vector3d& centre, double radius);
  /// x² + y² ≤ radius².
  void cutTube(double radius);
  /// x² + y² ≤ slope² (apex - z)², z ≤ apex.
  void cutCone(double apex, double slope);
  /// Becomes the smallest interval that holds this one and the other.
  void unite(const RayInterval& other);

 private:
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  // Keeps t in [in, out]; whether the line now enters at `in`.
  bool cut(double in, double out);

  Vector3d o_, d_;
  double in_ = -kFar, out_ = kFar;
  Vector3d normal_ = Vector3d::Zero();
};

}  // namespace cornet
