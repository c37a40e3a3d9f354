#pragma once

#include "cornet/body/inertial_state.h"

/// A set of bodies whose velocities are coupled by one mass matrix: a free body, or (with joint
/// coordinates) a whole mechanism. Positions q (nq) and velocities v (nv) are segments of the
/// caller's vectors; a tree is constant while they move.
///
///   M(q) v̇ = f(q, v, t) + constraint forces,      (v_WB, ω_WB) of body k = J_k(q) v             (BODY-2)
namespace cornet {

/// Gravity and what pushes a body from outside.
struct BodyForce {
  Vector3d force = Vector3d::Zero();   // at the centre of mass [N]
  Vector3d torque = Vector3d::Zero();  // about the centre of mass [N m], world axes
};

class Tree {
 public:
  using Vector = Eigen::Ref<const VectorXd>;
  using Output = Eigen::Ref<VectorXd>;

  virtual ~Tree() = default;

  virtual int bodyCount() const = 0;
  virtual int positionCount() const = 0;  // nq
  virtual int velocityCount() const = 0;  // nv

  /// M(q), nv x nv.
  virtual void calcMassMatrix(const Vector& q, Eigen::Ref<MatrixXd> M) const = 0;
  /// Forces that need no constraint: gravity, `external` on each body, and the velocity terms.
  virtual void calcSmoothForce(const Vector& q, const Vector& v, const Vector3d& gravity,
                               std::span<const BodyForce> external, Output f) const = 0;
  /// Pose and velocity of body k.
  virtual InertialState calcBodyState(const Vector& q, const Vector& v, int k) const = 0;
  /// J_k(q), 6 x nv.
  virtual void calcBodyJacobian(const Vector& q, int k, Eigen::Ref<MatrixXd> J) const = 0;
  /// Moves q along v for dt [s].
  virtual void advance(const Vector& v, double dt, Output q) const = 0;
};

}  // namespace cornet
