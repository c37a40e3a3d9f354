#include "cornet/constraints/constraint.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

ConstraintLaw ConstraintLaw::fromBounds(const LambdaBounds& bounds) {
  ConstraintLaw law;
  law.kind = bounds.isBilateral()    ? LawKind::equality
             : bounds.isUnilateral() ? LawKind::unilateral
                                     : LawKind::box;
  law.bounds = bounds;
  return law;
}

ConstraintLaw ConstraintLaw::cone(double mu, int normal) {
  return {LawKind::cone, LambdaBounds::unilateral(), mu, normal};
}

Constraint::Constraint(std::size_t bodyAIndex) : body_a_(bodyAIndex) {}

Constraint::Constraint(std::size_t bodyAIndex, std::size_t bodyBIndex)
    : body_a_(bodyAIndex), body_b_(bodyBIndex) {}

bool Constraint::isActive(const InertialState&, const InertialState&, double) const { return true; }

ConstraintLaw Constraint::law() const { return ConstraintLaw::fromBounds(lambdaBounds()); }

Eigen::VectorXd Constraint::biasRate(const InertialState& stateA, const InertialState& stateB,
                                     double time) const {
  // Cube root of the rounding unit: truncation and rounding of a central difference balance.
  constexpr double kStep = 6e-6;
  const double rate = std::max({1.0, stateA.velocity.norm(), stateA.omega.norm(),
                                stateB.velocity.norm(), stateB.omega.norm()});
  const double h = kStep / rate;
  const auto rate_at = [&](double dt) {
    const InertialState a = advance(stateA, dt);
    const InertialState b = advance(stateB, dt);
    const Eigen::MatrixXd J = calcVelocityJacobian(*this, a, b, time + dt, typeName());
    return Eigen::VectorXd(calcRate(J, a, b) - targetRate(a, b, time + dt));
  };
  return (rate_at(h) - rate_at(-h)) / (2.0 * h);
}

Eigen::VectorXd Constraint::targetRate(const InertialState&, const InertialState&, double) const {
  return Eigen::VectorXd::Zero(dimension());
}

Eigen::VectorXd Constraint::reboundRate(const InertialState&, const InertialState&, double) const {
  return Eigen::VectorXd::Zero(dimension());
}

std::optional<ForceLaw> Constraint::forceLaw(const InertialState&, const InertialState&, double) const {
  return std::nullopt;
}

bool Constraint::isTurnedOver(const InertialState&, const InertialState&) const { return false; }

JointReading Constraint::reading(const InertialState& stateA, const InertialState& stateB) const {
  return {bodyCount() == 2 ? stateB.position : stateA.position};
}

void requireForceLaw(const std::string& label, const ForceLaw& force, int dimension) {
  const double k = force.stiffness, d = force.damping;
  if (dimension != 1) {
    throw std::invalid_argument(fmt::format("{}: a force law is that of one row, this constraint has {}", label, dimension));
  }
  if (std::isfinite(k) && std::isfinite(d) && k >= 0.0 && d >= 0.0 && k + d > 0.0 && std::isfinite(force.stretch) &&
      std::isfinite(force.rate)) {
    return;
  }
  throw std::invalid_argument(fmt::format(
      "{}: force law with stiffness {}, damping {}, stretch {}, rate {}: expected finite numbers, stiffness and damping "
      "≥ 0 and one of them > 0",
      label, k, d, force.stretch, force.rate));
}

Eigen::MatrixXd calcVelocityJacobian(const Constraint& constraint, const InertialState& stateA,
                                     const InertialState& stateB, double time,
                                     const std::string& label) {
  Eigen::MatrixXd J = constraint.jacobian(stateA, stateB, time);
  const int bodies = constraint.bodyCount();
  const bool position_level = J.cols() == 7 * bodies;
  if (J.rows() != constraint.dimension() || (!position_level && J.cols() != 6 * bodies)) {
    throw std::invalid_argument(fmt::format(
        "{}: the Jacobian is {} x {}: expected {} rows (its dimension) and {} columns (velocities) "
        "or {} (positions)",
        label, J.rows(), J.cols(), constraint.dimension(), 6 * bodies, 7 * bodies));
  }
  if (!J.allFinite()) {
    throw std::invalid_argument(fmt::format("{}: the Jacobian has an entry that is not finite", label));
  }
  if (!position_level) return J;
  Eigen::MatrixXd mapped(J.rows(), 6 * bodies);
  mapped.leftCols<6>() = J.leftCols<7>() * calcVelocityMap(stateA.orientation);
  if (bodies == 2) mapped.rightCols<6>() = J.rightCols<7>() * calcVelocityMap(stateB.orientation);
  return mapped;
}

Eigen::VectorXd calcRate(const Eigen::MatrixXd& J, const InertialState& stateA,
                         const InertialState& stateB) {
  Eigen::VectorXd rate = J.leftCols<3>() * stateA.velocity + J.middleCols<3>(3) * stateA.omega;
  if (J.cols() == 12) {
    rate += J.middleCols<3>(6) * stateB.velocity + J.rightCols<3>() * stateB.omega;
  }
  return rate;
}

}  // namespace cornet
