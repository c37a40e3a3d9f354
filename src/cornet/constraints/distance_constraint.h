#pragma once

#include "cornet/constraints/constraint.h"
#include "cornet/constraints/joints/joint_frame.h"

/// A massless rod: a point of a body keeps its distance to a point of the world or of another body.
///
///   C = ‖p_B - p_A‖ - length [m]                                                               (CON-5)
namespace cornet {

class DistanceConstraint final : public InPlaceConstraint {
 public:
  /// The point `p_BC_B` (body axes) of a body, held at `length` from the world point `anchor`.
  DistanceConstraint(std::size_t bodyIndex, const Vector3d& p_BC_B, const Vector3d& anchor,
                     double length);
  /// The point `p_AC_A` of body A and `p_BC_B` of body B, each in its body's axes.
  DistanceConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Vector3d& p_AC_A,
                     const Vector3d& p_BC_B, double length);

  int dimension() const override { return 1; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  /// Position and rate are those of the distance itself.
  JointReading reading(const InertialState& stateA, const InertialState& stateB) const override;
  std::string typeName() const override { return "DistanceConstraint"; }

 private:
  /// From the end that is written with a minus to the other.
  Vector3d calcRod(const InertialState& stateA, const InertialState& stateB) const;
  /// Zero for B where there is only one body.
  JointRow calcRow(const InertialState& stateA, const InertialState& stateB) const;

  Vector3d point_a_;  // in A's axes
  Vector3d point_b_;  // in B's axes, or in the world
  double length_;
};

}  // namespace cornet
