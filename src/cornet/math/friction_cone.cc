#include "cornet/math/friction_cone.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace cornet {

double tangentialNorm(const Vector3d& x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); }

Vector3d projectFrictionCone(const Vector3d& lambda, double mu) {
  const double n = lambda[0];
  if (std::isinf(mu)) return {std::max(n, 0.0), lambda[1], lambda[2]};
  const double t = tangentialNorm(lambda);
  if (n >= 0.0 && t <= mu * n) return lambda;  // n < 0 with μ = 0 would pass the second test
  if (mu * t <= -n) return Vector3d::Zero();
  const double n_plus = (n + mu * t) / (1.0 + mu * mu);
  const double shrink = mu * n_plus / t;
  return {n_plus, shrink * lambda[1], shrink * lambda[2]};
}

Vector3d projectDualCone(const Vector3d& u, double mu) {
  // Moreau: x = P_K*(x) + P_{-K}(x) with P_{-K}(x) = -P_K(-x); done branch by branch, because
  // the subtraction would leave rounding noise where the answer is exactly u or 0.
  const double n = u[0];
  if (std::isinf(mu)) return {std::max(n, 0.0), 0.0, 0.0};
  const double t = tangentialNorm(u);
  if (n >= mu * t) return u;
  if (t <= -mu * n) return Vector3d::Zero();
  const double t_plus = (t + mu * n) / (1.0 + mu * mu);
  const double shrink = t > 0.0 ? t_plus / t : 0.0;
  return {mu * t_plus, shrink * u[1], shrink * u[2]};
}

void projectFrictionCones(std::span<const double> mu, Eigen::Ref<VectorXd> lambda) {
  assert(lambda.size() == 3 * static_cast<Eigen::Index>(mu.size()));
  for (std::size_t i = 0; i < mu.size(); ++i) {
    auto triple = lambda.segment<3>(3 * static_cast<Eigen::Index>(i));
    triple = projectFrictionCone(triple, mu[i]);
  }
}

Vector3d deSaxceVelocity(const Vector3d& u, double mu) {
  return {u[0] + mu * tangentialNorm(u), u[1], u[2]};
}

Vector3d coulombMap(const Vector3d& x, double mu) {
  if (x[0] <= 0.0) return Vector3d::Zero();
  const double t = tangentialNorm(x);
  const double radius = mu * x[0];
  if (t <= radius) return x;
  return {x[0], x[1] * radius / t, x[2] * radius / t};
}

}  // namespace cornet
