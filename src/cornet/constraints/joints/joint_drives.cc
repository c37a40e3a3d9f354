#include "cornet/constraints/joints/joint_drives.h"

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

}  // namespace

JointLimit::JointLimit(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
                       JointAxis axis, LimitSide side, double bound)
    : Constraint(bodyAIndex, bodyBIndex),
      frame_(frame),
      axis_(axis),
      sign_(side == LimitSide::lower ? 1.0 : -1.0),
      bound_(bound) {
  const bool beyond = axis == JointAxis::angle && std::abs(bound) >= std::numbers::pi;
  if (!std::isfinite(bound) || beyond) {
    throw std::invalid_argument(fmt::format(
        "JointLimit: bound = {}: expected a finite number, for an angle between -π and π", bound));
  }
}

Eigen::VectorXd JointLimit::evaluate(const InertialState& stateA, const InertialState& stateB,
                                     double) const {
  return Eigen::VectorXd::Constant(
      1, sign_ * (calcPosition(frame_, axis_, stateA, stateB) - bound_));
}

Eigen::MatrixXd JointLimit::jacobian(const InertialState& stateA, const InertialState& stateB,
                                     double) const {
  return sign_ * calcRow(frame_, axis_, stateA, stateB);
}

JointMotor::JointMotor(std::size_t bodyAIndex, std::size_t bodyBIndex, const JointFrame& frame,
                       JointAxis axis, double speed, double max_effort)
    : Constraint(bodyAIndex, bodyBIndex),
      frame_(frame),
      axis_(axis),
      speed_(speed),
      max_effort_(max_effort) {
  if (!std::isfinite(speed) || !(max_effort >= 0.0)) {
    throw std::invalid_argument(fmt::format(
        "JointMotor: speed = {}, max_effort = {}: expected a finite speed and an effort ≥ 0", speed,
        max_effort));
  }
}

Eigen::VectorXd JointMotor::evaluate(const InertialState&, const InertialState&, double) const {
  return Eigen::VectorXd::Zero(1);
}

Eigen::MatrixXd JointMotor::jacobian(const InertialState& stateA, const InertialState& stateB,
                                     double) const {
  return calcRow(frame_, axis_, stateA, stateB);
}

LambdaBounds JointMotor::lambdaBounds() const {
  return LambdaBounds::boxConstrained(-max_effort_, max_effort_);
}

ConstraintLaw JointMotor::law() const {
  ConstraintLaw law;
  law.kind = LawKind::box;
  law.bounds = lambdaBounds();
  return law;
}

Eigen::VectorXd JointMotor::targetRate(const InertialState&, const InertialState&, double) const {
  return Eigen::VectorXd::Constant(1, speed_);
}

}  // namespace cornet
