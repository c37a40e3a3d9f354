#include "cornet/constraints/joints/joints.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

BallJoint::BallJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                     const InertialState& stateB, const Vector3d& anchor)
    : Constraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("BallJoint", stateA, stateB, anchor)) {}

Eigen::VectorXd BallJoint::evaluate(const InertialState& stateA, const InertialState& stateB,
                                    double) const {
  return calcPointError(frame_, stateA, stateB);
}

Eigen::MatrixXd BallJoint::jacobian(const InertialState& stateA, const InertialState& stateB,
                                    double) const {
  return calcPointRows(frame_, stateA, stateB);
}

HingeJoint::HingeJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                       const InertialState& stateB, const Vector3d& anchor, const Vector3d& axis)
    : Constraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("HingeJoint", stateA, stateB, anchor, axis)) {}

Eigen::VectorXd HingeJoint::evaluate(const InertialState& stateA, const InertialState& stateB,
                                     double) const {
  Eigen::VectorXd C(5);
  C << calcPointError(frame_, stateA, stateB), calcTilt(frame_, stateA, stateB, frame_.t1_A),
      calcTilt(frame_, stateA, stateB, frame_.t2_A);
  return C;
}

Eigen::MatrixXd HingeJoint::jacobian(const InertialState& stateA, const InertialState& stateB,
                                     double) const {
  Eigen::MatrixXd J(5, 12);
  J.topRows<3>() = calcPointRows(frame_, stateA, stateB);
  J.row(3) = calcTiltRow(frame_, stateA, stateB, frame_.t1_A);
  J.row(4) = calcTiltRow(frame_, stateA, stateB, frame_.t2_A);
  return J;
}

SliderJoint::SliderJoint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                         const InertialState& stateA, const InertialState& stateB,
                         const Vector3d& anchor, const Vector3d& axis)
    : Constraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("SliderJoint", stateA, stateB, anchor, axis)) {}

Eigen::VectorXd SliderJoint::evaluate(const InertialState& stateA, const InertialState& stateB,
                                      double) const {
  Eigen::VectorXd C(5);
  C << calcSlide(frame_, stateA, stateB, frame_.t1_A), calcSlide(frame_, stateA, stateB, frame_.t2_A),
      calcTurnError(frame_, stateA, stateB);
  return C;
}

Eigen::MatrixXd SliderJoint::jacobian(const InertialState& stateA, const InertialState& stateB,
                                      double) const {
  Eigen::MatrixXd J(5, 12);
  J.row(0) = calcSlideRow(frame_, stateA, stateB, frame_.t1_A);
  J.row(1) = calcSlideRow(frame_, stateA, stateB, frame_.t2_A);
  J.bottomRows<3>() = calcTurnRows(frame_, stateA, stateB);
  return J;
}

UniversalJoint::UniversalJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                               const InertialState& stateB, const Vector3d& anchor, const Vector3d& axis_a,
                               const Vector3d& axis_b)
    : Constraint(bodyAIndex, bodyBIndex),
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

Eigen::VectorXd UniversalJoint::evaluate(const InertialState& stateA, const InertialState& stateB, double) const {
  Eigen::VectorXd C(4);
  C << calcPointError(frame_, stateA, stateB), calcTilt(frame_, stateA, stateB, frame_.axis_A);
  return C;
}

Eigen::MatrixXd UniversalJoint::jacobian(const InertialState& stateA, const InertialState& stateB, double) const {
  Eigen::MatrixXd J(4, 12);
  J.topRows<3>() = calcPointRows(frame_, stateA, stateB);
  J.row(3) = calcTiltRow(frame_, stateA, stateB, frame_.axis_A);
  return J;
}

JointReading UniversalJoint::reading(const InertialState&, const InertialState& stateB) const {
  return {stateB.pointToWorld(frame_.p_BJ_B)};
}

FixedJoint::FixedJoint(std::size_t bodyAIndex, std::size_t bodyBIndex, const InertialState& stateA,
                       const InertialState& stateB, const Vector3d& anchor)
    : Constraint(bodyAIndex, bodyBIndex),
      frame_(makeJointFrame("FixedJoint", stateA, stateB, anchor)) {}

Eigen::VectorXd FixedJoint::evaluate(const InertialState& stateA, const InertialState& stateB,
                                     double) const {
  Eigen::VectorXd C(6);
  C << calcPointError(frame_, stateA, stateB), calcTurnError(frame_, stateA, stateB);
  return C;
}

Eigen::MatrixXd FixedJoint::jacobian(const InertialState& stateA, const InertialState& stateB,
                                     double) const {
  Eigen::MatrixXd J(6, 12);
  J.topRows<3>() = calcPointRows(frame_, stateA, stateB);
  J.bottomRows<3>() = calcTurnRows(frame_, stateA, stateB);
  return J;
}

JointReading BallJoint::reading(const InertialState&, const InertialState& stateB) const {
  return {stateB.pointToWorld(frame_.p_BJ_B)};
}

bool HingeJoint::isTurnedOver(const InertialState& stateA, const InertialState& stateB) const {
  return stateA.toWorld(frame_.axis_A).dot(stateB.toWorld(frame_.axis_B)) < 0.0;
}

JointReading HingeJoint::reading(const InertialState& stateA, const InertialState& stateB) const {
  const MatrixXd row = calcAngleRow(frame_, stateA, stateB);
  return {stateB.pointToWorld(frame_.p_BJ_B), calcAngle(frame_, stateA, stateB), calcRate(row, stateA, stateB)[0]};
}

JointReading SliderJoint::reading(const InertialState& stateA, const InertialState& stateB) const {
  const MatrixXd row = calcSlideRow(frame_, stateA, stateB, frame_.axis_A);
  return {stateB.pointToWorld(frame_.p_BJ_B), calcSlide(frame_, stateA, stateB, frame_.axis_A),
          calcRate(row, stateA, stateB)[0]};
}

JointReading FixedJoint::reading(const InertialState&, const InertialState& stateB) const {
  return {stateB.pointToWorld(frame_.p_BJ_B)};
}

}  // namespace cornet
