#include "cornet/constraints/contact_constraint.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

// Row (CON-7) of direction d.
Eigen::Matrix<double, 1, 12> makeRow(const ContactGeometry& geometry, const InertialState& stateA,
                                     const InertialState& stateB, const Vector3d& d) {
  const Vector3d r_A = stateA.toWorld(geometry.p_AC_A);
  const Vector3d r_B = stateB.toWorld(geometry.p_BC_B);
  Eigen::Matrix<double, 1, 12> row;
  row << -d.transpose(), -r_A.cross(d).transpose(), d.transpose(), r_B.cross(d).transpose();
  return row;
}

void requireAtLeastZero(const char* type, const char* name, double value) {
  if (value >= 0.0) return;
  throw std::invalid_argument(fmt::format("{}: {} = {}: expected a number ≥ 0", type, name, value));
}

}  // namespace

ContactGeometry makeContactGeometry(const InertialState& stateA, const InertialState& stateB,
                                    const Vector3d& point_on_A, const Vector3d& point_on_B,
                                    const Vector3d& normal) {
  constexpr double kUnit = 1e-6;
  if (!(std::abs(normal.norm() - 1.0) <= kUnit)) {
    throw std::invalid_argument(
        fmt::format("contact normal ({}, {}, {}): expected a unit vector from A into B", normal.x(),
                    normal.y(), normal.z()));
  }
  return {stateA.pointToBody(point_on_A), stateB.pointToBody(point_on_B), normal.normalized()};
}

ContactConstraint::ContactConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                                     const ContactGeometry& geometry, double restitution,
                                     double restitution_threshold)
    : Constraint(bodyAIndex, bodyBIndex),
      geometry_(geometry),
      restitution_(restitution),
      threshold_(restitution_threshold) {
  requireAtLeastZero("ContactConstraint", "restitution", restitution);
  requireAtLeastZero("ContactConstraint", "restitution_threshold", restitution_threshold);
  if (restitution > 1.0) {
    throw std::invalid_argument(fmt::format(
        "ContactConstraint: restitution = {}: expected a number from 0 to 1", restitution));
  }
}

Eigen::VectorXd ContactConstraint::evaluate(const InertialState& stateA,
                                            const InertialState& stateB, double) const {
  const Vector3d apart =
      stateB.pointToWorld(geometry_.p_BC_B) - stateA.pointToWorld(geometry_.p_AC_A);
  return Eigen::VectorXd::Constant(1, geometry_.normal.dot(apart));
}

Eigen::MatrixXd ContactConstraint::jacobian(const InertialState& stateA,
                                            const InertialState& stateB, double) const {
  return makeRow(geometry_, stateA, stateB, geometry_.normal);
}

Eigen::VectorXd ContactConstraint::reboundRate(const InertialState& stateA,
                                               const InertialState& stateB, double time) const {
  const double u_n = calcRate(jacobian(stateA, stateB, time), stateA, stateB)[0];
  return Eigen::VectorXd::Constant(1, u_n < -threshold_ ? -restitution_ * u_n : 0.0);
}

FrictionConstraint::FrictionConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                                       const ContactGeometry& geometry, double mu, int normal)
    : Constraint(bodyAIndex, bodyBIndex), geometry_(geometry), mu_(mu), normal_(normal) {
  requireAtLeastZero("FrictionConstraint", "mu", mu);
}

Eigen::VectorXd FrictionConstraint::evaluate(const InertialState&, const InertialState&,
                                             double) const {
  return Eigen::VectorXd::Zero(2);
}

Eigen::MatrixXd FrictionConstraint::jacobian(const InertialState& stateA,
                                             const InertialState& stateB, double) const {
  const Matrix3d axes = makeContactAxes(geometry_.normal);
  Eigen::MatrixXd J(2, 12);
  J.row(0) = makeRow(geometry_, stateA, stateB, axes.col(1));
  J.row(1) = makeRow(geometry_, stateA, stateB, axes.col(2));
  return J;
}

LambdaBounds FrictionConstraint::lambdaBounds() const {
  const double limit = normal_force_ > 0.0 ? mu_ * normal_force_ : 0.0;
  return LambdaBounds::boxConstrained(-limit, limit);
}

}  // namespace cornet
