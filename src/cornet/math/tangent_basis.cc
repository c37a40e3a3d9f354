#include "cornet/math/tangent_basis.h"

#include <cmath>

namespace cornet {

Matrix3d makeContactAxes(const Vector3d& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());  // |sign + n_z| ≥ 1
  const double b = n.x() * n.y() * a;
  Matrix3d axes;
  axes.col(0) = n;
  axes.col(1) << 1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  axes.col(2) << b, sign + n.y() * n.y() * a, -n.y();
  return axes;
}

}  // namespace cornet
