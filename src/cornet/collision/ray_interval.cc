#include "cornet/collision/ray_interval.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace cornet {
namespace {

// Where a line crosses a quadric, and which part of it is solid.
struct Crossings {
  enum class Solid { none, inside, outside, all } between;
  double first = 0.0, last = 0.0;
};

// x² + y² ≤ k² z² on v + t d: a t² + 2 b t + c ≤ 0. Its discriminant b² - a c is k² (w_x² + w_y²) - w_z² with
// w = d × v.
Crossings crossDoubleCone(const Vector3d& v, const Vector3d& d, double k) {
  const auto form = [k](const Vector3d& x) {
    const double across = std::hypot(x.x(), x.y());
    const double along = k * std::abs(x.z());
    return (across - along) * (across + along);
  };
  const Vector3d w = d.cross(v);
  const double a = form(d);
  const double b = d.x() * v.x() + d.y() * v.y() - k * k * d.z() * v.z();
  const double c = form(v);
  const double passing = k * std::hypot(w.x(), w.y());
  const double twist = std::abs(w.z());
  if (a > 0.0 && passing < twist) return {Crossings::Solid::none};
  const double root = std::sqrt(std::max(0.0, (passing - twist) * (passing + twist)));
  // The root that does not cancel, and the other by the product of both.
  const double q = b > 0.0 ? -(b + root) : root - b;
  if (a == 0.0 && q == 0.0) return {Crossings::Solid::all};  // a line of the surface
  const double infinity = std::numeric_limits<double>::infinity();
  const double one = a != 0.0 ? q / a : std::copysign(infinity, -q);  // parallel to the surface
  const double other = q != 0.0 ? c / q : one;
  return {a > 0.0 ? Crossings::Solid::inside : Crossings::Solid::outside, std::min(one, other),
          std::max(one, other)};
}

}  // namespace

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

void RayInterval::cutCone(double apex, double slope) {
  cutPlane(Vector3d::UnitZ(), apex);
  const Crossings crossings = crossDoubleCone(o_ - Vector3d(0.0, 0.0, apex), d_, slope);
  const bool descends = !(d_.z() > 0.0);
  double surface = crossings.first;
  bool enters = false;
  switch (crossings.between) {
    case Crossings::Solid::none: cut(kFar, -kFar); break;
    case Crossings::Solid::all: break;
    case Crossings::Solid::inside: enters = cut(crossings.first, crossings.last); break;
    case Crossings::Solid::outside:  // one end is in this half of the double cone, the other end in the other
      if (descends) surface = crossings.last;
      enters = descends ? cut(crossings.last, kFar) : cut(-kFar, crossings.first);
  }
  if (!enters) return;
  const Vector3d x = at(surface);
  const double length = std::hypot(x.x(), x.y());
  normal_ = length > 0.0 ? Vector3d(x.x() / length, x.y() / length, slope) : Vector3d(Vector3d::UnitZ());
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
