#include "cornet/constraints/joints/joint_drives.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

double calcPosition(const JointFrame& frame, JointAxis axis, const InertialState& a,
                    const InertialState& b) {
  return axis == JointAxis::angle ? calcAngle(frame, a, b) : calcSlide(frame, a, b, frame.axis_A);
}

JointRow calcRow(const JointFrame& frame, JointAxis axis, const InertialState& a,
                 const InertialState& b) {
  return axis == JointAxis::angle ? calcAngleRow(frame, a, b)
                                  : calcSlideRow(frame, a, b, frame.axis_A);
}

// Names the drive, the value and what was expected.
void require(bool good, const char* drive, const char* what, double value, const char* expected) {
  if (good) return;
  throw std::invalid_argument(fmt::format("{}: {} = {}: expected {}", drive, what, value, expected));
}

}  // namespace

JointLimit::JointLimit(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
                       JointAxis axis, LimitSide side, double bound, double restitution)
    : InPlaceConstraint(bodyAIndex, bodyBIndex),
      frame_(frame),
      axis_(axis),
      sign_(side == LimitSide::lower ? 1.0 : -1.0),
      bound_(bound),
      restitution_(restitution) {
  const bool beyond = axis == JointAxis::angle && std::abs(bound) >= std::numbers::pi;
  require(std::isfinite(bound) && !beyond, "JointLimit", "bound", bound,
          "a finite number, for an angle between -π and π");
  require(restitution >= 0.0 && restitution <= 1.0, "JointLimit", "restitution", restitution, "a number from 0 to 1");
}

void JointLimit::evaluateInto(MemberStates states, double, VectorXd& C) const {
  C.setConstant(1, sign_ * (calcPosition(frame_, axis_, states[0], states[1]) - bound_));
}

void JointLimit::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J = sign_ * calcRow(frame_, axis_, states[0], states[1]);
}

void JointLimit::reboundRateInto(MemberStates states, double, VectorXd& rate) const {
  rate.setZero(1);
  if (restitution_ == 0.0) return;
  const JointRow row = sign_ * calcRow(frame_, axis_, states[0], states[1]);
  rate[0] = std::max(0.0, -restitution_ * calcRowRate(row, states[0], states[1]));
}

void JointDrive::evaluateInto(MemberStates, double, VectorXd& C) const { C.setZero(1); }

void JointDrive::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J = calcRow(frame_, axis_, states[0], states[1]);
}

LambdaBounds JointDrive::lambdaBounds() const {
  return LambdaBounds::boxConstrained(-max_effort_, max_effort_);
}

ConstraintLaw JointDrive::law() const {
  ConstraintLaw law;
  law.kind = LawKind::box;
  law.bounds = lambdaBounds();
  return law;
}

std::optional<ForceLaw> JointDrive::forceLawWith(const DriveInput&, const InertialState&, const InertialState&) const {
  return std::nullopt;
}

std::optional<ForceLaw> JointDrive::forceLaw(const InertialState& stateA, const InertialState& stateB, double) const {
  return forceLawWith({}, stateA, stateB);
}

void JointDrive::setMaxEffort(double max_effort) {
  require(max_effort >= 0.0, typeName().c_str(), "max_effort", max_effort, "a number ≥ 0");
  max_effort_ = max_effort;
}

double JointDrive::calcTravel(std::span<const InertialState> before, std::span<const InertialState> after, double about) const {
  const double way = calcPosition(frame_, axis_, after[0], after[1]) - calcPosition(frame_, axis_, before[0], before[1]);
  return axis_ == JointAxis::angle ? about + std::remainder(way - about, 2.0 * std::numbers::pi) : way;
}

double JointDrive::calcStretch(const InertialState& stateA, const InertialState& stateB, double from) const {
  const double stretch = calcPosition(frame_, axis_, stateA, stateB) - from;
  return axis_ == JointAxis::angle ? std::remainder(stretch, 2.0 * std::numbers::pi) : stretch;
}

JointMotor::JointMotor(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
                       JointAxis axis, double speed, double max_effort)
    : JointDrive(bodyAIndex, bodyBIndex, frame, axis), speed_(speed) {
  setSpeed(speed);
  setMaxEffort(max_effort);
}

void JointMotor::targetRateInto(MemberStates, double, VectorXd& w) const {
  w.setConstant(1, speed_);
}

void JointMotor::setSpeed(double speed) {
  require(std::isfinite(speed), "JointMotor", "speed", speed, "a finite number");
  speed_ = speed;
}

JointFriction::JointFriction(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
                             JointAxis axis, double friction)
    : JointDrive(bodyAIndex, bodyBIndex, frame, axis) {
  require(friction >= 0.0, "JointFriction", "friction", friction, "a number ≥ 0");
  setMaxEffort(friction);
}

JointEffort::JointEffort(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
                         double effort)
    : JointDrive(bodyAIndex, bodyBIndex, frame, axis) {
  setEffort(effort);
}

LambdaBounds JointEffort::boundsWith(const DriveInput& input) const {
  const double effort = input.effort.value_or(effort_);
  return {effort, effort};
}

void JointEffort::setEffort(double effort) {
  require(std::isfinite(effort), "JointEffort", "effort", effort, "a finite number");
  effort_ = effort;
}

JointServo::JointServo(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
                       double kp, double kd, double target, double max_effort)
    : JointDrive(bodyAIndex, bodyBIndex, frame, axis), kp_(kp), kd_(kd) {
  require(std::isfinite(kp) && kp >= 0.0, "JointServo", "kp", kp, "a finite number ≥ 0");
  require(std::isfinite(kd) && kd >= 0.0, "JointServo", "kd", kd, "a finite number ≥ 0");
  require(kp + kd > 0.0, "JointServo", "kp + kd", kp + kd, "a gain > 0, or the servo does nothing");
  setTarget(target);
  setMaxEffort(max_effort);
}

std::optional<ForceLaw> JointServo::forceLawWith(const DriveInput& input, const InertialState& stateA,
                                                 const InertialState& stateB) const {
  return ForceLaw{kp_, kd_, calcStretch(stateA, stateB, input.target.value_or(target_)), input.rate.value_or(rate_)};
}

void JointServo::setTarget(double target, double rate) {
  require(std::isfinite(target), "JointServo", "target", target, "a finite number");
  require(std::isfinite(rate), "JointServo", "rate", rate, "a finite number");
  target_ = target;
  rate_ = rate;
}

JointSpring::JointSpring(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
                         double stiffness, double rest)
    : JointDrive(bodyAIndex, bodyBIndex, frame, axis), stiffness_(stiffness), rest_(rest) {
  require(std::isfinite(stiffness) && stiffness > 0.0, "JointSpring", "stiffness", stiffness, "a finite number > 0");
  require(std::isfinite(rest), "JointSpring", "rest", rest, "a finite number");
}

std::optional<ForceLaw> JointSpring::forceLawWith(const DriveInput&, const InertialState& stateA,
                                                  const InertialState& stateB) const {
  return ForceLaw{stiffness_, 0.0, calcStretch(stateA, stateB, rest_), 0.0};
}

JointDamper::JointDamper(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame, JointAxis axis,
                         double damping)
    : JointDrive(bodyAIndex, bodyBIndex, frame, axis), damping_(damping) {
  require(std::isfinite(damping) && damping > 0.0, "JointDamper", "damping", damping, "a finite number > 0");
}

std::optional<ForceLaw> JointDamper::forceLawWith(const DriveInput&, const InertialState&, const InertialState&) const {
  return ForceLaw{0.0, damping_, 0.0, 0.0};
}

}  // namespace cornet
