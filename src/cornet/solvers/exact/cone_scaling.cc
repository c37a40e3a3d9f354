#include "cornet/solvers/exact/cone_scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/math/friction_cone.h"

namespace cornet::exact {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kHalfRoot = std::sqrt(0.5);

double determinant(const Vector3d& x) {
  const double t = tangentialNorm(x);
  return (x[0] - t) * (x[0] + t);
}

// Coordinates of x in the frame E.
Vector3d toFrame(const Vector2d& d, const Vector3d& x) {
  const double along = d[0] * x[1] + d[1] * x[2];
  return {kHalfRoot * (x[0] + along), kHalfRoot * (x[0] - along), d[0] * x[2] - d[1] * x[1]};
}

Vector3d fromFrame(const Vector2d& d, const Vector3d& y) {
  const double along = kHalfRoot * (y[0] - y[1]);
  return {kHalfRoot * (y[0] + y[1]), d[0] * along - d[1] * y[2], d[1] * along + d[0] * y[2]};
}

}  // namespace

double coneDepth(const Vector3d& x) { return x[0] - tangentialNorm(x); }

ConeScaling makeConeScaling(const Vector3d& r, const Vector3d& z) {
  const double root_r = std::sqrt(determinant(r));
  const double root_z = std::sqrt(determinant(z));
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

Vector3d applySpectral(const ConeScaling& scaling, const Vector3d& f, const Vector3d& x) {
  return fromFrame(scaling.d, f.cwiseProduct(toFrame(scaling.d, x)));
}

Matrix3d makeSpectral(const ConeScaling& scaling, const Vector3d& f) {
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

Vector3d jordanProduct(const Vector3d& x, const Vector3d& y) {
  return {x.dot(y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]};
}

Vector3d jordanDivide(const Vector3d& x, const Vector3d& b) {
  const double y_n = (x[0] * b[0] - x[1] * b[1] - x[2] * b[2]) / determinant(x);
  return {y_n, (b[1] - y_n * x[1]) / x[0], (b[2] - y_n * x[2]) / x[0]};
}

// The smaller positive root of det(x + a dx) = A a² + 2 B a + C, and x_n + a dx_n ≥ 0.
double maxConeStep(const Vector3d& x, const Vector3d& dx) {
  const double A = determinant(dx);
  const double B = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
  const double C = std::max(determinant(x), 0.0);
  const double discriminant = B * B - A * C;
  double step = kInfinity;
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
