#include "cornet/constraints/joints/joints.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

BallJoint::BallJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                     const InertialState& stateB, const Vector3d& anchor)
    : InPlaceConstraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("BallJoint", stateA, stateB, anchor)) {}

void BallJoint::evaluateInto(MemberStates states, double, VectorXd& C) const {
  C = calcPointError(frame_, states[0], states[1]);
}

void BallJoint::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J = calcPointRows(frame_, states[0], states[1]);
}

HingeJoint::HingeJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                       const InertialState& stateB, const Vector3d& anchor, const Vector3d& axis)
    : InPlaceConstraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("HingeJoint", stateA, stateB, anchor, axis)) {}

void HingeJoint::evaluateInto(MemberStates states, double, VectorXd& C) const {
  C.resize(5);
  C << calcPointError(frame_, states[0], states[1]), calcTilt(frame_, states[0], states[1], frame_.t1_A),
      calcTilt(frame_, states[0], states[1], frame_.t2_A);
}

void HingeJoint::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J.resize(5, 12);
  J.topRows<3>() = calcPointRows(frame_, states[0], states[1]);
  J.row(3) = calcTiltRow(frame_, states[0], states[1], frame_.t1_A);
  J.row(4) = calcTiltRow(frame_, states[0], states[1], frame_.t2_A);
}

SliderJoint::SliderJoint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                         const InertialState& stateA, const InertialState& stateB,
                         const Vector3d& anchor, const Vector3d& axis)
    : InPlaceConstraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("SliderJoint", stateA, stateB, anchor, axis)) {}

void SliderJoint::evaluateInto(MemberStates states, double, VectorXd& C) const {
  C.resize(5);
  C << calcSlide(frame_, states[0], states[1], frame_.t1_A), calcSlide(frame_, states[0], states[1], frame_.t2_A),
      calcTurnError(frame_, states[0], states[1]);
}

void SliderJoint::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J.resize(5, 12);
  J.row(0) = calcSlideRow(frame_, states[0], states[1], frame_.t1_A);
  J.row(1) = calcSlideRow(frame_, states[0], states[1], frame_.t2_A);
  J.bottomRows<3>() = calcTurnRows(frame_, states[0], states[1]);
}

UniversalJoint::UniversalJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                               const InertialState& stateB, const Vector3d& anchor, const Vector3d& axis_a,
                               const Vector3d& axis_b)
    : InPlaceConstraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("UniversalJoint", stateA, stateB, anchor, axis_a)) {
  const Vector3d a = axis_a.normalized();
  frame_.axis_B = makeJointFrame("UniversalJoint", stateA, stateB, anchor, axis_b).axis_B;
  const Vector3d b = stateB.toWorld(frame_.axis_B);
  constexpr double kRightAngle = 1e-6;  // [rad] what is less is the rounding of numbers in a file
  if (std::abs(a.dot(b)) > kRightAngle) {
    throw std::invalid_argument(fmt::format(
        "UniversalJoint: axis_a ({}, {}, {}) and axis_b ({}, {}, {}) make an angle of {:.6g} degrees: expected 90",
        axis_a.x(), axis_a.y(), axis_a.z(), axis_b.x(), axis_b.y(), axis_b.z(),
        std::acos(a.dot(b)) * 180.0 / std::numbers::pi));
  }
  frame_.axis_B = stateB.toBody((b - a.dot(b) * a).normalized());
}

void UniversalJoint::evaluateInto(MemberStates states, double, VectorXd& C) const {
  C.resize(4);
  C << calcPointError(frame_, states[0], states[1]), calcTilt(frame_, states[0], states[1], frame_.axis_A);
}

void UniversalJoint::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J.resize(4, 12);
  J.topRows<3>() = calcPointRows(frame_, states[0], states[1]);
  J.row(3) = calcTiltRow(frame_, states[0], states[1], frame_.axis_A);
}

JointReading UniversalJoint::reading(const InertialState&, const InertialState& stateB) const {
  return {stateB.pointToWorld(frame_.p_BJ_B)};
}

FixedJoint::FixedJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                       const InertialState& stateB, const Vector3d& anchor)
    : InPlaceConstraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("FixedJoint", stateA, stateB, anchor)) {}

void FixedJoint::evaluateInto(MemberStates states, double, VectorXd& C) const {
  C.resize(6);
  C << calcPointError(frame_, states[0], states[1]), calcTurnError(frame_, states[0], states[1]);
}

void FixedJoint::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J.resize(6, 12);
  J.topRows<3>() = calcPointRows(frame_, states[0], states[1]);
  J.bottomRows<3>() = calcTurnRows(frame_, states[0], states[1]);
}

JointReading BallJoint::reading(const InertialState&, const InertialState& stateB) const {
  return {stateB.pointToWorld(frame_.p_BJ_B)};
}

bool HingeJoint::isTurnedOver(const InertialState& stateA, const InertialState& stateB) const {
  return stateA.toWorld(frame_.axis_A).dot(stateB.toWorld(frame_.axis_B)) < 0.0;
}

JointReading HingeJoint::reading(const InertialState& stateA, const InertialState& stateB) const {
  const JointRow row = calcAngleRow(frame_, stateA, stateB);
  return {stateB.pointToWorld(frame_.p_BJ_B), calcAngle(frame_, stateA, stateB), calcRowRate(row, stateA, stateB)};
}

JointReading SliderJoint::reading(const InertialState& stateA, const InertialState& stateB) const {
  const JointRow row = calcSlideRow(frame_, stateA, stateB, frame_.axis_A);
  return {stateB.pointToWorld(frame_.p_BJ_B), calcSlide(frame_, stateA, stateB, frame_.axis_A),
          calcRowRate(row, stateA, stateB)};
}

JointReading FixedJoint::reading(const InertialState&, const InertialState& stateB) const {
  return {stateB.pointToWorld(frame_.p_BJ_B)};
}

}  // namespace cornet
