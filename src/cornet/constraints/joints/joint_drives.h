#pragma once

#include <cstdint>
#include <limits>

#include "cornet/constraints/constraint.h"
#include "cornet/constraints/joints/joint_frame.h"

/// What acts along the free direction of a hinge or slider: one row each, beside the joint.
///
///   limit      C = x - bound (lower side) or bound - x (upper side), unilateral; hit with u⁻ it wants -e u⁻
///   motor      u = speed as far as |F| ≤ max_effort allows
///   friction   u = 0 as far as |F| ≤ the friction allows: holds exactly up to it, and slides against exactly it
///   servo      F = -kp (x - target) - kd (u - rate), |F| ≤ max_effort                            (DRV-1)
///   spring     F = -k (x - rest)
///   damper     F = -d u
///   effort     F as it is told
///
/// x is the angle [rad] in (-π, π] or the slide [m], zero at the pose the joint was made. Servos and springs of an angle go
/// the shorter way round.
namespace cornet {

enum class JointAxis : std::uint8_t { angle, slide };
enum class LimitSide : std::uint8_t { lower, upper };

class JointLimit final : public InPlaceConstraint {
 public:
  /// Throws std::invalid_argument when the bound is not finite, an angle is not between -π and π, or the
  /// restitution e not between 0 and 1.
  JointLimit(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
             JointAxis axis, LimitSide side, double bound, double restitution = 0.0);
  int dimension() const override { return 1; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::unilateral(); }
  void reboundRateInto(MemberStates states, double time, VectorXd& rate) const override;
  std::string typeName() const override { return "JointLimit"; }

 private:
  JointFrame frame_;
  JointAxis axis_;
  double sign_;  // +1 lower, -1 upper
  double bound_;
  double restitution_;
};

/// What a step gives a drive instead of what it has of its own.
struct DriveInput {
  std::optional<double> target;  // of a servo
  std::optional<double> rate;    // of a servo; the speed of a motor
  std::optional<double> effort;  // of a given effort
};

/// A row along the free direction with an effort of at most max_effort, in N m or N. A box even without a limit: it holds no
/// position.
class JointDrive : public InPlaceConstraint {
 public:
  int dimension() const override { return 1; }
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override;
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override;
  LambdaBounds lambdaBounds() const override;
  ConstraintLaw law() const override;
  double alpha() const override { return 0.0; }
  double beta() const override { return 0.0; }

  /// The same as lambdaBounds(), targetRate() and forceLaw() with some of its values from outside.
  virtual LambdaBounds boundsWith(const DriveInput&) const { return lambdaBounds(); }
  virtual double rateWith(const DriveInput&) const { return 0.0; }
  virtual std::optional<ForceLaw> forceLawWith(const DriveInput&, const InertialState& stateA,
                                               const InertialState& stateB) const;
  std::optional<ForceLaw> forceLaw(const InertialState& stateA, const InertialState& stateB,
                                   double time) const override;

  /// How far the joint went from one pair of states to another: of turns the number that `about` is nearest to.
  double calcTravel(std::span<const InertialState> before, std::span<const InertialState> after, double about) const;

  /// Whether it gives back all that it takes: its force is that of its stretch alone.
  virtual bool isSpring() const { return false; }

  double maxEffort() const { return max_effort_; }
  /// Between steps. Throws std::invalid_argument unless it is a number ≥ 0.
  void setMaxEffort(double max_effort);

 protected:
  JointDrive(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis)
      : InPlaceConstraint(bodyAIndex, bodyBIndex), frame_(frame), axis_(axis) {}
  /// x - `from`; of an angle the shorter way round.
  double calcStretch(const InertialState& stateA, const InertialState& stateB, double from) const;

 private:
  JointFrame frame_;
  JointAxis axis_;
  double max_effort_ = std::numeric_limits<double>::infinity();
};

class JointMotor final : public JointDrive {
 public:
  /// `speed` in rad/s or m/s, `max_effort` in N m or N. Throws std::invalid_argument when the speed is
  /// not finite or the effort not ≥ 0.
  JointMotor(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
             JointAxis axis, double speed, double max_effort);
  void targetRateInto(MemberStates states, double time, VectorXd& w) const override;
  double rateWith(const DriveInput& input) const override { return input.rate.value_or(speed_); }
  std::string typeName() const override { return "JointMotor"; }

  double speed() const { return speed_; }
  void setSpeed(double speed);

 private:
  double speed_;
};

/// Dry friction of the joint itself, whatever it carries.
class JointFriction final : public JointDrive {
 public:
  /// `friction` in N m or N. Throws std::invalid_argument unless it is a number ≥ 0.
  JointFriction(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
                JointAxis axis, double friction);
  std::string typeName() const override { return "JointFriction"; }
};

/// A given effort, as a controller of the user's own computes it.
class JointEffort final : public JointDrive {
 public:
  /// `effort` in N m or N. Throws std::invalid_argument unless it is finite.
  JointEffort(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
              double effort);
  LambdaBounds lambdaBounds() const override { return {effort_, effort_}; }
  LambdaBounds boundsWith(const DriveInput& input) const override;
  std::string typeName() const override { return "JointEffort"; }

  double effort() const { return effort_; }
  void setEffort(double effort);

 private:
  double effort_ = 0.0;
};

/// A position servo: a controller of its own, in the step, that any gain leaves stable and whose effort never exceeds its
/// limit.
class JointServo final : public JointDrive {
 public:
  /// Throws std::invalid_argument when a gain is negative or not finite, both are zero, the target is not finite, or the
  /// effort is not ≥ 0.
  JointServo(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
             double kp, double kd, double target,
             double max_effort = std::numeric_limits<double>::infinity());
  std::optional<ForceLaw> forceLawWith(const DriveInput& input, const InertialState& stateA,
                                       const InertialState& stateB) const override;
  std::string typeName() const override { return "JointServo"; }

  double target() const { return target_; }
  double rate() const { return rate_; }
  /// Where it goes from the next step on, and the rate that kd damps to. Throws std::invalid_argument unless both are
  /// finite.
  void setTarget(double target, double rate = 0.0);

 private:
  double kp_, kd_;
  double target_ = 0.0;
  double rate_ = 0.0;
};

class JointSpring final : public JointDrive {
 public:
  /// Throws std::invalid_argument unless the stiffness is finite and > 0 and the rest position finite.
  JointSpring(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
              double stiffness, double rest = 0.0);
  std::optional<ForceLaw> forceLawWith(const DriveInput& input, const InertialState& stateA,
                                       const InertialState& stateB) const override;
  bool isSpring() const override { return true; }
  std::string typeName() const override { return "JointSpring"; }

 private:
  double stiffness_, rest_;
};

class JointDamper final : public JointDrive {
 public:
  /// Throws std::invalid_argument unless the damping is finite and > 0.
  JointDamper(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
              double damping);
  std::optional<ForceLaw> forceLawWith(const DriveInput& input, const InertialState& stateA,
                                       const InertialState& stateB) const override;
  std::string typeName() const override { return "JointDamper"; }

 private:
  double damping_;
};

}  // namespace cornet
