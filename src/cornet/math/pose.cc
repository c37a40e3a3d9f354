#include "cornet/math/pose.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

bool isNearlyUnit(const Quaterniond& q) {
  return std::abs(q.norm() - 1.0) <= kUnitTolerance;
}

bool isNearlyRotation(const Matrix3d& R) {
  const double error = (R.transpose() * R - Matrix3d::Identity()).cwiseAbs().maxCoeff();
  return error <= kUnitTolerance && R.determinant() > 0.0;
}

Pose makePose(const Quaterniond& q_AB, const Vector3d& p_AB) {
  if (!p_AB.allFinite()) {
    throw std::invalid_argument(fmt::format("pose: position = ({}, {}, {}): expected finite numbers",
                                            p_AB.x(), p_AB.y(), p_AB.z()));
  }
  if (!isNearlyUnit(q_AB)) {
    throw std::invalid_argument(fmt::format(
        "pose: quaternion (w, x, y, z) = ({}, {}, {}, {}) has length {}: expected 1 to within {}; "
        "normalise it",
        q_AB.w(), q_AB.x(), q_AB.y(), q_AB.z(), q_AB.norm(), kUnitTolerance));
  }
  return {q_AB.normalized(), p_AB};
}

}  // namespace cornet
