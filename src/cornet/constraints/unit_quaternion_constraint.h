#pragma once

#include "cornet/constraints/constraint.h"

namespace cornet {

/// ‖q‖² = 1. With the angular velocity as state the quaternion cannot leave the unit sphere:
/// ∂C/∂q N(q) = 0, so its row maps to nothing and the assembly drops it.
class UnitQuaternionConstraint final : public Constraint {
 public:
  explicit UnitQuaternionConstraint(std::size_t bodyIndex) : Constraint(bodyIndex) {}

  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  std::string typeName() const override { return "UnitQuaternionConstraint"; }
};

}  // namespace cornet
