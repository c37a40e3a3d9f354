#pragma once

#include <Eigen/Geometry>

#include "cornet/math/types.h"

/// Rotations as unit quaternions and rotation vectors φ = angle * axis [rad].
///
///   exp:  q = (cos ‖φ‖/2,  sin(‖φ‖/2)/‖φ‖ φ)                                                (ROT-1)
///   log:  φ = 2 atan2(‖q_v‖, |q_w|) sign(q_w) q_v/‖q_v‖,   ‖φ‖ ≤ π                          (ROT-2)
///
/// Neither subtracts nearly equal numbers, so both keep full relative accuracy for every angle,
/// the smallest and those near π included.
namespace cornet {

using Eigen::Quaterniond;

/// Unit quaternion of the rotation vector phi [rad].
Quaterniond expMap(const Vector3d& phi);

/// The matrix of r × x.
Matrix3d skew(const Vector3d& r);

/// Shortest rotation vector [rad] of a unit quaternion; q and -q give the same vector.
Vector3d logMap(const Quaterniond& q);

}  // namespace cornet
