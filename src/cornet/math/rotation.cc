#include "cornet/math/rotation.h"

#include <cmath>
#include <numbers>

namespace cornet {

Quaterniond expMap(const Vector3d& phi) {
  const double angle = phi.stableNorm();
  // sin(angle/2)/angle has the limit 1/2; below this angle the next term is under half an ulp.
  constexpr double kSmallAngle = 1e-8;
  const double ratio = angle < kSmallAngle ? 0.5 : std::sin(0.5 * angle) / angle;
  Quaterniond q;
  q.w() = std::cos(0.5 * angle);
  q.vec() = ratio * phi;
  return q;
}

Vector3d logMap(const Quaterniond& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const double sine = q.vec().stableNorm();
  if (sine == 0.0) return Vector3d::Zero();
  // atan2 is accurate where acos(w) is not: near the identity and near half a turn.
  const double angle = 2.0 * std::atan2(sine, sign * q.w());
  return (sign * angle / sine) * q.vec();
}

Matrix3d skew(const Vector3d& r) {
  Matrix3d result;
  result << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return result;
}

}  // namespace cornet
