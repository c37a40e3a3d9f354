#include "cornet/collision/ray_interval.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

namespace cornet {

bool RayInterval::cut(double in, double out) {
  out_ = std::min(out_, out);
  if (!(in > in_)) return false;
  in_ = in;
  return true;
}

void RayInterval::cutPlane(const Vector3d& n, double c) {
  const double speed = n.dot(d_);
  const double above = n.dot(o_) - c;
  if (speed == 0.0) {
    if (above > 0.0) cut(kFar, -kFar);
  } else if (speed > 0.0) {
    cut(-kFar, -above / speed);
  } else if (cut(-above / speed, kFar)) {
    normal_ = n;
  }
}

void RayInterval::cutBall(const Vector3d& centre, double radius) {
  const double length = d_.norm();
  const Vector3d v = o_ - centre;
  const double middle = -v.dot(d_) / (length * length);
  const double miss = (v + middle * d_).norm();
  if (!(miss <= radius)) {
    cut(kFar, -kFar);
    return;
  }
  const double half = std::sqrt((radius - miss) * (radius + miss)) / length;
  if (cut(middle - half, middle + half)) normal_ = v + (middle - half) * d_;
}

void RayInterval::cutTube(double radius) {
  const double speed = std::hypot(d_.x(), d_.y());
  if (speed == 0.0) {
    if (std::hypot(o_.x(), o_.y()) > radius) cut(kFar, -kFar);
    return;
  }
  const double miss = std::abs(d_.x() * o_.y() - d_.y() * o_.x()) / speed;
  if (!(miss <= radius)) {
    cut(kFar, -kFar);
    return;
  }
  const double middle = -(o_.x() * d_.x() + o_.y() * d_.y()) / (speed * speed);
  const double half = std::sqrt((radius - miss) * (radius + miss)) / speed;
  if (!cut(middle - half, middle + half)) return;
  normal_ = at(middle - half);
  normal_.z() = 0.0;
}

// With v = o - apex and k the slope: a t² + 2 b t + c ≤ 0. Its discriminant b² - a c is k² (w_x² + w_y²) - w_z²
// with w = d × v.
void RayInterval::cutCone(double apex, double slope) {
  const Vector3d v = o_ - Vector3d(0.0, 0.0, apex);
  const Vector3d w = d_.cross(v);
  const double k = slope;
  const auto difference = [k](const Vector3d& x) {
    const double across = std::hypot(x.x(), x.y());
    return (across - k * std::abs(x.z())) * (across + k * std::abs(x.z()));
  };
  const double a = difference(d_);
  const double c = difference(v);
  const double b = d_.x() * v.x() + d_.y() * v.y() - k * k * d_.z() * v.z();
  const double across = k * std::hypot(w.x(), w.y());
  const double root =
      std::sqrt(std::max(0.0, (across - std::abs(w.z())) * (across + std::abs(w.z()))));
  const bool misses = across < std::abs(w.z());
  cutPlane(Vector3d::UnitZ(), apex);
  // The two crossings; one of them is at infinity when the line is parallel to the surface.
  const double q = b > 0.0 ? -(b + root) : root - b;
  if (a == 0.0 && q == 0.0) return;  // a line of the surface
  double first = a != 0.0 ? q / a : std::copysign(kFar, -q);
  double last = q != 0.0 ? c / q : first;
  if (first > last) std::swap(first, last);
  bool enters = false;
  double at_surface = first;
  if (a > 0.0) {
    if (misses) cut(kFar, -kFar);
    enters = cut(first, last);
  } else if (d_.z() > 0.0) {
    cut(-kFar, first);  // up to the surface, then out of this half of the double cone
  } else {
    enters = cut(last, kFar);
    at_surface = last;
  }
  if (!enters) return;
  const Vector3d x = at(at_surface);
  const double length = std::hypot(x.x(), x.y());
  normal_ = length > 0.0 ? Vector3d(x.x() / length, x.y() / length, k) : Vector3d(Vector3d::UnitZ());
}

void RayInterval::unite(const RayInterval& other) {
  if (other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  out_ = std::max(out_, other.out_);
  if (!(other.in_ < in_)) return;
  in_ = other.in_;
  normal_ = other.normal_;
}

}  // namespace cornet
