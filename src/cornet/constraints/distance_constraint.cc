#include "cornet/constraints/distance_constraint.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

double requireLength(double length) {
  if (length > 0.0 && std::isfinite(length)) return length;
  throw std::invalid_argument(fmt::format(
      "DistanceConstraint: length = {} m: expected a number > 0; use a BallJoint to join two points",
      length));
}

}  // namespace

DistanceConstraint::DistanceConstraint(std::size_t bodyIndex, const Vector3d& p_BC_B,
                                       const Vector3d& anchor, double length)
    : InPlaceConstraint(bodyIndex), point_a_(p_BC_B), point_b_(anchor), length_(requireLength(length)) {}

DistanceConstraint::DistanceConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                                       const Vector3d& p_AC_A, const Vector3d& p_BC_B,
                                       double length)
    : InPlaceConstraint(bodyAIndex, bodyBIndex),
      point_a_(p_AC_A),
      point_b_(p_BC_B),
      length_(requireLength(length)) {}

Vector3d DistanceConstraint::calcRod(const InertialState& stateA,
                                     const InertialState& stateB) const {
  const Vector3d end = stateA.pointToWorld(point_a_);
  return bodyCount() == 1 ? Vector3d(end - point_b_)
                          : Vector3d(stateB.pointToWorld(point_b_) - end);
}

void DistanceConstraint::evaluateInto(MemberStates states, double, VectorXd& C) const {
  C.setConstant(1, calcRod(states[0], states.back()).norm() - length_);
}

JointRow DistanceConstraint::calcRow(const InertialState& stateA, const InertialState& stateB) const {
  const Vector3d rod = calcRod(stateA, stateB);
  const double norm = rod.norm();
  // With both ends in one place any direction is as good as another.
  const Vector3d d = norm > 0.0 ? Vector3d(rod / norm) : Vector3d::UnitZ();
  const Vector3d r_A = stateA.toWorld(point_a_);
  const double sign = bodyCount() == 1 ? 1.0 : -1.0;
  JointRow row = JointRow::Zero();
  row.head<6>() << sign * d.transpose(), sign * r_A.cross(d).transpose();
  if (bodyCount() == 2) {
    const Vector3d r_B = stateB.toWorld(point_b_);
    row.tail<6>() << d.transpose(), r_B.cross(d).transpose();
  }
  return row;
}

void DistanceConstraint::jacobianInto(MemberStates states, double, MatrixXd& J) const {
  J = calcRow(states[0], states.back()).head(6 * bodyCount());
}

JointReading DistanceConstraint::reading(const InertialState& stateA, const InertialState& stateB) const {
  const Vector3d point = bodyCount() == 1 ? stateA.pointToWorld(point_a_) : stateB.pointToWorld(point_b_);
  return {point, calcRod(stateA, stateB).norm(), calcRowRate(calcRow(stateA, stateB), stateA, stateB)};
}

}  // namespace cornet
