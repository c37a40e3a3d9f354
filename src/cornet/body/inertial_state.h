#pragma once

#include <string_view>

#include "cornet/math/pose.h"

/// Where a rigid body is and how it moves. The angular velocity is state; the rate of the quaternion
/// is not, it follows:
///
///   q̇ = ½ ω ⊗ q,  ω in world axes;      (ẋ, q̇) = N(q) (v, ω),   N = [ I  0 ; 0  ½ L(q) ]      (BODY-1)
///
/// Columns of position-level Jacobians come in the order (x, y, z, q_w, q_x, q_y, q_z), columns of
/// velocity-level ones in the order (v, ω). A position-level Jacobian J becomes J N(q).
namespace cornet {

struct InertialState {
  Vector3d position = Vector3d::Zero();                    // p_WB of the centre of mass [m]
  Quaterniond orientation = Quaterniond::Identity();       // q_WB
  Vector3d velocity = Vector3d::Zero();                    // v_WB [m/s]
  Vector3d omega = Vector3d::Zero();                       // w_WB [rad/s], world axes

  Pose pose() const { return {orientation, position}; }    // X_WB
  /// A vector or point given in body axes, in world axes.
  Vector3d toWorld(const Vector3d& d_B) const { return orientation * d_B; }
  Vector3d pointToWorld(const Vector3d& p_BC_B) const { return position + orientation * p_BC_B; }
  /// The inverse of both.
  Vector3d toBody(const Vector3d& d_W) const { return orientation.conjugate() * d_W; }
  Vector3d pointToBody(const Vector3d& p_WC) const { return toBody(p_WC - position); }
  /// Velocity of the body's material point at p_BC_W from its centre.
  Vector3d velocityAt(const Vector3d& p_BC_W) const { return velocity + omega.cross(p_BC_W); }
};

using VelocityMap = Eigen::Matrix<double, 7, 6>;

/// N(q) of (BODY-1).
VelocityMap calcVelocityMap(const Quaterniond& q_WB);

/// The state after moving with constant v and ω (world axes) for dt [s], which may be negative.
InertialState advance(const InertialState& state, double dt);

/// Throws std::invalid_argument beginning with `name` when an entry is not finite or the quaternion
/// is not of unit length (to 1e-6).
void validate(const InertialState& state, std::string_view name);

}  // namespace cornet
