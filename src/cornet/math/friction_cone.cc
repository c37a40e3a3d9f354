#include "cornet/math/friction_cone.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace cornet {

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

}  // namespace cornet
