#pragma once

#include <cstdint>

#include "cornet/constraints/constraint.h"
#include "cornet/constraints/joints/joint_frame.h"

/// Limits and motors of the free direction of a hinge or slider: one row each, beside the joint.
///
///   limit   C = x - bound (lower side) or bound - x (upper side), unilateral
///   motor   u = speed as far as |λ| ≤ max_effort allows
///
/// x is the angle [rad] in (-π, π] or the slide [m], zero at the pose the joint was made.
namespace cornet {

enum class JointAxis : std::uint8_t { angle, slide };
enum class LimitSide : std::uint8_t { lower, upper };

class JointLimit final : public Constraint {
 public:
  /// Throws std::invalid_argument when the bound is not finite, or an angle is not between
  /// -π and π.
  JointLimit(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
             JointAxis axis, LimitSide side, double bound);
  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::unilateral(); }
  std::string typeName() const override { return "JointLimit"; }

 private:
  JointFrame frame_;
  JointAxis axis_;
  double sign_;  // +1 lower, -1 upper
  double bound_;
};

class JointMotor final : public Constraint {
 public:
  /// `speed` in rad/s or m/s, `max_effort` in N m or N. Throws std::invalid_argument when the speed is
  /// not finite or the effort not ≥ 0.
  JointMotor(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
             JointAxis axis, double speed, double max_effort);
  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  LambdaBounds lambdaBounds() const override;
  /// A box even without a limit: a motor holds a speed, not a position.
  ConstraintLaw law() const override;
  Eigen::VectorXd targetRate(const InertialState& stateA, const InertialState& stateB,
                             double time) const override;
  double alpha() const override { return 0.0; }
  double beta() const override { return 0.0; }
  std::string typeName() const override { return "JointMotor"; }

 private:
  JointFrame frame_;
  JointAxis axis_;
  double speed_;
  double max_effort_;
};

}  // namespace cornet
