#include "cornet/constraints/joints/joint_frame.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

// Orientation of B in A relative to where it was, with w ≥ 0.
Quaterniond calcTurn(const JointFrame& frame, const InertialState& a, const InertialState& b) {
  Quaterniond turn = a.orientation.conjugate() * b.orientation * frame.q_AB.conjugate();
  if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
  return turn;
}

}  // namespace

JointFrame makeJointFrame(std::string_view joint, const InertialState& a, const InertialState& b,
                          const Vector3d& anchor, const Vector3d& axis) {
  const double length = axis.norm();
  if (!anchor.allFinite() || !std::isfinite(length) || !(length > 0.0)) {
    throw std::invalid_argument(fmt::format(
        "{}: anchor ({}, {}, {}), axis ({}, {}, {}): expected finite numbers and an axis with a "
        "direction",
        joint, anchor.x(), anchor.y(), anchor.z(), axis.x(), axis.y(), axis.z()));
  }
  const Matrix3d axes = makeContactAxes(axis / length);
  JointFrame frame;
  frame.p_AJ_A = a.pointToBody(anchor);
  frame.p_BJ_B = b.pointToBody(anchor);
  frame.axis_A = a.toBody(axes.col(0));
  frame.axis_B = b.toBody(axes.col(0));
  frame.t1_A = a.toBody(axes.col(1));
  frame.t2_A = a.toBody(axes.col(2));
  frame.t1_B = b.toBody(axes.col(1));
  frame.q_AB = a.orientation.conjugate() * b.orientation;
  return frame;
}

Vector3d calcPointError(const JointFrame& frame, const InertialState& a, const InertialState& b) {
  return b.pointToWorld(frame.p_BJ_B) - a.pointToWorld(frame.p_AJ_A);
}

JointRows3 calcPointRows(const JointFrame& frame, const InertialState& a, const InertialState& b) {
  JointRows3 J;
  J << -Matrix3d::Identity(), skew(a.toWorld(frame.p_AJ_A)), Matrix3d::Identity(),
      -skew(b.toWorld(frame.p_BJ_B));
  return J;
}

double calcSlide(const JointFrame& frame, const InertialState& a, const InertialState& b,
                 const Vector3d& t_A) {
  return a.toWorld(t_A).dot(calcPointError(frame, a, b));
}

JointRow calcSlideRow(const JointFrame& frame, const InertialState& a, const InertialState& b,
                      const Vector3d& t_A) {
  const Vector3d t = a.toWorld(t_A);
  const Vector3d arm_A = a.toWorld(frame.p_AJ_A) + calcPointError(frame, a, b);
  const Vector3d r_B = b.toWorld(frame.p_BJ_B);
  JointRow row;
  row << -t.transpose(), -arm_A.cross(t).transpose(), t.transpose(), r_B.cross(t).transpose();
  return row;
}

Vector3d calcTurnError(const JointFrame& frame, const InertialState& a, const InertialState& b) {
  return 2.0 * calcTurn(frame, a, b).vec();
}

JointRows3 calcTurnRows(const JointFrame& frame, const InertialState& a, const InertialState& b) {
  const Quaterniond turn = calcTurn(frame, a, b);
  const Matrix3d rate = (turn.w() * Matrix3d::Identity() - skew(turn.vec())) *
                        a.orientation.conjugate().toRotationMatrix();
  JointRows3 J;
  J << Matrix3d::Zero(), -rate, Matrix3d::Zero(), rate;
  return J;
}

double calcTilt(const JointFrame& frame, const InertialState& a, const InertialState& b,
                const Vector3d& t_A) {
  return a.toWorld(t_A).dot(b.toWorld(frame.axis_B));
}

JointRow calcTiltRow(const JointFrame& frame, const InertialState& a, const InertialState& b,
                     const Vector3d& t_A) {
  const Vector3d across = a.toWorld(t_A).cross(b.toWorld(frame.axis_B));
  JointRow row;
  row << 0.0, 0.0, 0.0, across.transpose(), 0.0, 0.0, 0.0, -across.transpose();
  return row;
}

double calcAngle(const JointFrame& frame, const InertialState& a, const InertialState& b) {
  const Vector3d t_B = b.toWorld(frame.t1_B);
  return std::atan2(a.toWorld(frame.t2_A).dot(t_B), a.toWorld(frame.t1_A).dot(t_B));
}

JointRow calcAngleRow(const JointFrame& frame, const InertialState& a, const InertialState&) {
  const Vector3d axis = a.toWorld(frame.axis_A);
  JointRow row;
  row << 0.0, 0.0, 0.0, -axis.transpose(), 0.0, 0.0, 0.0, axis.transpose();
  return row;
}

double calcRowRate(const JointRow& row, const InertialState& a, const InertialState& b) {
  const auto part = [&](int at, const Vector3d& v) { return row[at] * v[0] + (row[at + 1] * v[1] + row[at + 2] * v[2]); };
  return part(0, a.velocity) + part(3, a.omega) + (part(6, b.velocity) + part(9, b.omega));
}

}  // namespace cornet
