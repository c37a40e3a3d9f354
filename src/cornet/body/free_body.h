#pragma once

#include "cornet/body/mass_properties.h"
#include "cornet/body/tree.h"

/// A body that moves freely: q = (x, q_w, q_x, q_y, q_z), v = (v_WB, ω_WB), both in world axes, J = I.
///
///   M = diag(m I, R I_B Rᵀ),      f = (m g + F, τ - ω × R I_B Rᵀ ω)                               (BODY-3)
namespace cornet {

class FreeBody final : public Tree {
 public:
  /// Throws std::invalid_argument when the mass properties are impossible.
  explicit FreeBody(const MassProperties& mass);

  static constexpr int kPositions = 7;
  static constexpr int kVelocities = 6;

  int bodyCount() const override { return 1; }
  int positionCount() const override { return kPositions; }
  int velocityCount() const override { return kVelocities; }
  void calcMassMatrix(const Vector& q, Eigen::Ref<MatrixXd> M) const override;
  void calcSmoothForce(const Vector& q, const Vector& v, const Vector3d& gravity,
                       std::span<const BodyForce> external, Output f) const override;
  InertialState calcBodyState(const Vector& q, const Vector& v, int k) const override;
  void calcBodyJacobian(const Vector& q, int k, Eigen::Ref<MatrixXd> J) const override;
  void advance(const Vector& v, double dt, Output q) const override;

  const MassProperties& mass() const { return mass_; }

  /// The same for a state that is not in vectors.
  Eigen::Matrix<double, 6, 6> calcMassMatrix(const Quaterniond& q_WB) const;
  Eigen::Matrix<double, 6, 1> calcSmoothForce(const InertialState& state, const Vector3d& gravity,
                                              const BodyForce& external) const;

 private:
  MassProperties mass_;
};

}  // namespace cornet
