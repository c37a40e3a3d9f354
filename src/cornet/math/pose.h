#pragma once

#include "cornet/math/rotation.h"

namespace cornet {

/// Where a frame B stands in a frame A: X_AB, x_A = R_AB x_B + p_AB.
struct Pose {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();

  Pose() = default;
  Pose(const Matrix3d& R_AB, const Vector3d& p_AB) : R(R_AB), p(p_AB) {}
  Pose(const Quaterniond& q_AB, const Vector3d& p_AB) : R(q_AB.toRotationMatrix()), p(p_AB) {}

  Vector3d operator*(const Vector3d& x_B) const { return R * x_B + p; }
  Pose operator*(const Pose& X_BC) const { return {R * X_BC.R, R * X_BC.p + p}; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
  /// X_AC from X_WA (this) and X_WC, the difference of positions taken first: far from the origin
  /// nothing is lost but the rounding of the positions themselves.
  Pose relative(const Pose& X_WC) const {
    return {R.transpose() * X_WC.R, R.transpose() * (X_WC.p - p)};
  }
  bool operator==(const Pose&) const = default;
};

/// How far from 1 the length of a quaternion, and from I the product RᵀR of a matrix, may be: above the
/// rounding of numbers printed with seven digits, below what a mistake makes of them.
inline constexpr double kUnitTolerance = 1e-6;
bool isNearlyUnit(const Quaterniond& q);
bool isNearlyRotation(const Matrix3d& R);

/// Normalises a quaternion that is nearly a unit one. Throws std::invalid_argument with its length when it
/// is not, or when a number is not finite.
Pose makePose(const Quaterniond& q_AB, const Vector3d& p_AB);

}  // namespace cornet
