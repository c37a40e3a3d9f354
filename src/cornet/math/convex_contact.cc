#include "cornet/math/convex_contact.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "cornet/math/friction_cone.h"

namespace cornet {
namespace {

// The boundary ray at angle theta: its best value and the sign of the slope there.
struct Ray {
  double value = 0.0;  // minimum of the objective on the ray, 0 when the ray does not descend
  double slope = 0.0;  // a positive multiple of d(value)/d(theta)
  Vector3d lambda = Vector3d::Zero();
};

Ray evaluateRay(const Matrix3d& A, const Vector3d& q, double mu, double theta) {
  const double c = std::cos(theta);
  const double s = std::sin(theta);
  const Vector3d e(1.0, mu * c, mu * s);
  const Vector3d de(0.0, -mu * s, mu * c);
  const double qe = q.dot(e);
  const double eAe = e.dot(A * e);
  Ray ray;
  if (!(qe < 0.0 && eAe > 0.0)) return ray;
  ray.value = -0.5 * qe * qe / eAe;
  ray.slope = qe * (qe * de.dot(A * e) - eAe * q.dot(de));
  ray.lambda = (-qe / eAe) * e;
  return ray;
}

}  // namespace

ContactMode solveConvexContact(const Matrix3d& A, const Vector3d& q, double mu, Vector3d& lambda) {
  lambda.setZero();
  if (q[0] >= mu * tangentialNorm(q)) return ContactMode::open;
  if (mu == 0.0) {
    if (!(A(0, 0) > 0.0)) return ContactMode::none;
    lambda[0] = -q[0] / A(0, 0);
    return ContactMode::slip;
  }
  const Vector3d stick = -A.fullPivLu().solve(q);
  if (tangentialNorm(stick) <= mu * stick[0]) {
    lambda = stick;
    return ContactMode::stick;
  }
  // The lowest of a fan of rays over the arc that descends, then bisection on the slope towards the
  // minimum beside it.
  const double slide = mu * tangentialNorm(q);
  const double centre = std::atan2(-q[2], -q[1]);
  const double half_arc = slide > 0.0 ? std::acos(std::clamp(q[0] / slide, -1.0, 1.0)) : 0.0;
  constexpr int kHalfSamples = 16;
  const double step = half_arc / kHalfSamples;
  int best = 0;
  double lowest = 0.0;
  for (int k = -kHalfSamples; k <= kHalfSamples; ++k) {
    const double value = evaluateRay(A, q, mu, centre + k * step).value;
    if (value < lowest) {
      lowest = value;
      best = k;
    }
  }
  double lo = centre + best * step;
  const double direction = evaluateRay(A, q, mu, lo).slope <= 0.0 ? 1.0 : -1.0;
  double hi = lo + direction * step;
  constexpr int kBisections = 60;  // from a step to the last bit of an angle
  constexpr int kUnimodal = 12;    // values differ by more than rounding only in a wide interval
  for (int k = 0; k < kBisections; ++k) {
    const double mid = 0.5 * (lo + hi);
    const Ray ray = evaluateRay(A, q, mu, mid);
    const bool descends =
        direction * ray.slope < 0.0 && (k >= kUnimodal || ray.value <= lowest);
    (descends ? lo : hi) = mid;
    if (descends) lowest = ray.value;
  }
  lambda = evaluateRay(A, q, mu, lo).lambda;
  return lambda[0] > 0.0 ? ContactMode::slip : ContactMode::none;
}

}  // namespace cornet
