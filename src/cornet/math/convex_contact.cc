#include "cornet/math/convex_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "cornet/math/friction_cone.h"

namespace cornet {
namespace {

// Left side minus right side of (CVX-3) and its derivative.
struct BoundaryEquation {
  double slope;    // √ρ_1/|c_1|
  double pole;     // 1/ρ_1
  Vector2d size;   // √|ρ_i| |c_i|
  Vector2d rate;   // |ρ_i|

  double value(double alpha, double& derivative) const {
    const Vector2d grown = Vector2d::Ones() + alpha * rate;
    const Vector2d part = size.cwiseQuotient(grown);
    const double norm = part.norm();
    const double side = alpha < pole ? -1.0 : 1.0;
    const double rise =
        (part.cwiseAbs2().cwiseProduct(rate).cwiseQuotient(grown)).sum() / (norm * norm * norm);
    derivative = side * slope - rise;
    return slope * std::abs(alpha - pole) - 1.0 / norm;
  }
};

// The root on the side of the pole that gives a pushing impulse, or -1 when there is none.
double solveBoundary(const BoundaryEquation& h, bool beyond_pole) {
  // Orient the bracket so that h > 0 at `positive` and h < 0 at `negative`.
  double unused = 0.0;
  double positive = beyond_pole ? 2.0 * h.pole : 0.0;
  double negative = h.pole;
  for (int k = 0; beyond_pole && h.value(positive, unused) < 0.0; ++k) {
    if (k == 200) return -1.0;
    negative = positive;
    positive *= 4.0;
  }
  double alpha = 0.5 * (positive + negative);
  constexpr int kMaxSteps = 200;
  for (int step = 0; step < kMaxSteps; ++step) {
    double derivative = 0.0;
    const double value = h.value(alpha, derivative);
    (value > 0.0 ? positive : negative) = alpha;
    double next = alpha - value / derivative;
    const auto [lo, hi] = std::minmax(positive, negative);
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (std::abs(next - alpha) <= kEpsilon * alpha) return next;
    alpha = next;
  }
  return alpha;
}

// Direction of the sliding impulse in the cone scaled to ‖r_t‖ ≤ r_n; zero when there is none.
Vector3d slidingDirection(const Matrix3d& A, const Vector3d& q) {
  Eigen::LLT<Matrix3d> llt(A);
  if (llt.info() != Eigen::Success) {  // singular: lift it to the edge of rounding
    llt.compute(A + 8.0 * kEpsilon * A.trace() * Matrix3d::Identity());
    if (llt.info() != Eigen::Success) return Vector3d::Zero();
  }
  // L⁻¹ D L⁻ᵀ = V diag(ρ) Vᵀ, eigenvalues ascending: two negative, then the positive one.
  const Matrix3d L_inverse = llt.matrixL().solve(Matrix3d(Matrix3d::Identity()));
  const Matrix3d D = Vector3d(1.0, -1.0, -1.0).asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix3d> pencil(L_inverse * D * L_inverse.transpose());
  const Vector3d rho = pencil.eigenvalues();
  Matrix3d basis = L_inverse.transpose() * pencil.eigenvectors();  // r = basis y
  if (basis(0, 2) < 0.0) basis.col(2) = -basis.col(2);
  const Vector3d c = basis.transpose() * q;
  const double rate = rho[2];
  if (!(rate > 0.0)) return Vector3d::Zero();

  const BoundaryEquation h{std::sqrt(rate) / std::abs(c[2]), 1.0 / rate,
                           c.head<2>().cwiseAbs().cwiseProduct(rho.head<2>().cwiseAbs().cwiseSqrt()),
                           rho.head<2>().cwiseAbs()};
  const double alpha = c[2] == 0.0 ? h.pole : solveBoundary(h, c[2] > 0.0);
  if (alpha < 0.0) return Vector3d::Zero();
  Vector3d y;
  y.head<2>() = -c.head<2>().cwiseQuotient(Vector2d::Ones() + alpha * h.rate);
  // On the boundary the first component follows from the others without a difference.
  y[2] = std::sqrt(h.rate.dot(y.head<2>().cwiseAbs2()) / rate);
  return basis * y;
}

// One Newton step on the angle of the ray e = (1, μ d): u = A λ + q with λ = -(q·e/eᵀAe) e has no part
// across d where eᵀAe q·e' = q·e e'ᵀAe, e' = de/dθ. Removes what the eigenbasis has rounded away, and
// what symmetrising a slightly unsymmetric A has changed.
Vector3d turned(const Matrix3d& A, const Vector3d& q, const Vector3d& e) {
  const Vector3d de(0.0, -e[2], e[1]);
  const Vector3d dde(0.0, -e[1], -e[2]);
  const Vector3d Ae = A * e;
  const double slope = e.dot(Ae) * q.dot(de) - q.dot(e) * de.dot(Ae);
  const double curvature = e.dot(A * de) * q.dot(de) + e.dot(Ae) * q.dot(dde) -
                           q.dot(e) * (dde.dot(Ae) + de.dot(A * de));
  const double angle = -slope / curvature;
  constexpr double kPolish = 1e-2;  // [rad]; a larger step would be no polish
  if (!(std::abs(angle) < kPolish)) return e;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {1.0, c * e[1] - s * e[2], s * e[1] + c * e[2]};
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
  const Vector3d unit(1.0, mu, mu);
  const Matrix3d scaled = unit.asDiagonal() * A * unit.asDiagonal();
  const Vector3d r = slidingDirection(0.5 * (scaled + scaled.transpose()), unit.cwiseProduct(q));
  const double t = tangentialNorm(r);
  if (r.isZero(0.0)) return ContactMode::open;  // grazing to the last bit
  if (!(r[0] > 0.0 && t > 0.0)) return ContactMode::none;
  // Exactly on the cone, turned to the last bit, and as long as the minimum along this ray.
  Vector3d e(1.0, mu * r[1] / t, mu * r[2] / t);
  for (int step = 0; step < 3; ++step) e = turned(A, q, e);
  const double length = -q.dot(e) / e.dot(A * e);
  if (length <= 0.0) return ContactMode::open;
  if (!std::isfinite(length)) return ContactMode::none;
  lambda = length * e;
  return ContactMode::slip;
}

}  // namespace cornet
