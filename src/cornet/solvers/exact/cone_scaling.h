#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/math/friction_cone.h"
#include "cornet/math/types.h"

/// The unit cone L³ = { x : x_n ≥ ‖x_t‖ }, order (n, t1, t2), as a Jordan algebra, and its
/// Nesterov-Todd scaling at interior points r, z in spectral form:
///
///   x∘y = (x·y, x_n y_t + y_n x_t),   e = (1, 0, 0),   det x = (x_n - ‖x_t‖)(x_n + ‖x_t‖)      (EXACT-1)
///   W² z = r,   W² = E diag(ω) Eᵀ,   E = [(1, d)/√2, (1, -d)/√2, (0, d⊥)]                        (EXACT-2)
///     r̂ = r/√det r, ẑ = z/√det z, w = (r̂ + R ẑ)/√(2(1 + r̂·ẑ)), R = diag(1, -1, -1), d = w_t/‖w_t‖
///     η² = √(det r/det z), a = √(1 + ‖w_t‖²) + ‖w_t‖, ω = η² (a², 1/a², 1)
///
/// All functions of W² share E: no 3x3 matrix is inverted and nothing cancels, so products with
/// W, W⁻¹ and (W⁻² + δ)⁻¹ keep full accuracy when r and z are at the edge of their cones.
namespace cornet::exact {

struct ConeScaling {
  Vector2d d = Vector2d::UnitX();
  Vector3d omega = Vector3d::Ones();
};

namespace detail {

constexpr double kHalfRoot = 0.70710678118654752440;  // √½



inline double determinant(const Vector3d& x) {
  const double t = tangentialNorm(x);
  return (x[0] - t) * (x[0] + t);
}

// Coordinates of x in the frame E.
inline Vector3d toFrame(const Vector2d& d, const Vector3d& x) {
  const double along = d[0] * x[1] + d[1] * x[2];
  return {kHalfRoot * (x[0] + along), kHalfRoot * (x[0] - along), d[0] * x[2] - d[1] * x[1]};
}

inline Vector3d fromFrame(const Vector2d& d, const Vector3d& y) {
  const double along = kHalfRoot * (y[0] - y[1]);
  return {kHalfRoot * (y[0] + y[1]), d[0] * along - d[1] * y[2], d[1] * along + d[0] * y[2]};
}

}  // namespace detail

/// x_n - ‖x_t‖: how far inside the cone x is; negative outside.
inline double coneDepth(const Vector3d& x) { return x[0] - tangentialNorm(x); }

/// (EXACT-2) for interior r and z. Not finite when one of them is not interior.
inline ConeScaling makeConeScaling(const Vector3d& r, const Vector3d& z) {
  const double root_r = std::sqrt(detail::determinant(r));
  const double root_z = std::sqrt(detail::determinant(z));
  const Vector3d r_hat = r / root_r;
  const Vector3d z_hat = z / root_z;
  const double scale = std::sqrt(2.0 * (1.0 + r_hat.dot(z_hat)));
  const Vector2d w = (r_hat.tail<2>() - z_hat.tail<2>()) / scale;
  const double t = std::sqrt(w[0] * w[0] + w[1] * w[1]);
  const double a = std::sqrt(1.0 + t * t) + t;
  const double eta_squared = root_r / root_z;
  ConeScaling scaling;
  if (t > 0.0) scaling.d = w / t;
  scaling.omega << eta_squared * a * a, eta_squared / (a * a), eta_squared;
  return scaling;
}

/// E diag(f) Eᵀ x and E diag(f) Eᵀ for a function f of ω, one value per eigenvector.
inline Vector3d applySpectral(const ConeScaling& scaling, const Vector3d& f, const Vector3d& x) {
  return detail::fromFrame(scaling.d, f.cwiseProduct(detail::toFrame(scaling.d, x)));
}
inline Matrix3d makeSpectral(const ConeScaling& scaling, const Vector3d& f) {
  const Vector2d& d = scaling.d;
  const double mean = 0.5 * (f[0] + f[1]);
  const double half = 0.5 * (f[0] - f[1]);
  Matrix3d result;
  result(0, 0) = mean;
  result(1, 0) = result(0, 1) = half * d[0];
  result(2, 0) = result(0, 2) = half * d[1];
  result(1, 1) = mean * d[0] * d[0] + f[2] * d[1] * d[1];
  result(2, 2) = mean * d[1] * d[1] + f[2] * d[0] * d[0];
  result(2, 1) = result(1, 2) = (mean - f[2]) * d[0] * d[1];
  return result;
}

inline Vector3d jordanProduct(const Vector3d& x, const Vector3d& y) {
  return {x.dot(y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]};
}

/// The y with x∘y = b; x interior.
inline Vector3d jordanDivide(const Vector3d& x, const Vector3d& b) {
  const double y_n = (x[0] * b[0] - x[1] * b[1] - x[2] * b[2]) / detail::determinant(x);
  return {y_n, (b[1] - y_n * x[1]) / x[0], (b[2] - y_n * x[2]) / x[0]};
}

/// Largest step a with x + a dx in the cone, x in the cone; infinity when there is no limit: the
/// smaller positive root of det(x + a dx) = A a² + 2 B a + C, and x_n + a dx_n ≥ 0.
inline double maxConeStep(const Vector3d& x, const Vector3d& dx) {
  const double A = detail::determinant(dx);
  const double B = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
  const double C = std::max(detail::determinant(x), 0.0);
  const double discriminant = B * B - A * C;
  double step = std::numeric_limits<double>::infinity();
  if (discriminant >= 0.0) {
    const double root = std::sqrt(discriminant);
    if (B < 0.0) {
      step = C / (root - B);
    } else if (A < 0.0) {
      step = (B + root) / -A;
    }
  }
  if (dx[0] < 0.0) step = std::min(step, -x[0] / dx[0]);
  return step;
}

}  // namespace cornet::exact
