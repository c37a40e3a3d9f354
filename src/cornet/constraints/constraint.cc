#include "cornet/constraints/constraint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

// B, or the only body.
const InertialState& second(MemberStates states) { return states[states.size() > 1 ? 1 : 0]; }

// J̇ v - ẇ as a central difference of J v - w along the motion.
VectorXd calcBiasRate(const Constraint& constraint, MemberStates states, double time) {
  // Cube root of the rounding unit: truncation and rounding of a central difference balance.
  constexpr double kStep = 6e-6;
  const double h = kStep / std::max(1.0, calcLargestSpeed(states));
  std::vector<InertialState> moved;
  const auto rateAt = [&](double dt) {
    moved.clear();
    for (const InertialState& state : states) moved.push_back(advance(state, dt));
    const MatrixXd J = calcVelocityJacobian(constraint, moved, time + dt, constraint.typeName());
    return VectorXd(calcRate(J, moved) - constraint.targetRateAt(moved, time + dt));
  };
  return (rateAt(h) - rateAt(-h)) / (2.0 * h);
}

}  // namespace

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

Constraint::Constraint(std::size_t bodyAIndex) : bodies_{bodyAIndex} {}

Constraint::Constraint(std::size_t bodyAIndex, std::size_t bodyBIndex) : bodies_{bodyAIndex, bodyBIndex} {}

Constraint::Constraint(std::span<const std::size_t> bodies) {
  if (bodies.empty()) throw std::invalid_argument("a constraint without bodies: expected at least one");
  for (const std::size_t body : bodies) bodies_.push_back(body);
}

bool Constraint::isActive(const InertialState&, const InertialState&, double) const { return true; }

ConstraintLaw Constraint::law() const { return ConstraintLaw::fromBounds(lambdaBounds()); }

Eigen::VectorXd Constraint::biasRate(const InertialState& stateA, const InertialState& stateB,
                                     double time) const {
  const InertialState states[] = {stateA, stateB};
  return calcBiasRate(*this, {states, bodyCount() == 2 ? 2u : 1u}, time);
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

VectorXd Constraint::evaluateAt(MemberStates states, double time) const { return evaluate(states[0], second(states), time); }

MatrixXd Constraint::jacobianAt(MemberStates states, double time) const { return jacobian(states[0], second(states), time); }

VectorXd Constraint::evaluateOver(MemberStates, MemberStates after, double, double time) const {
  return evaluateAt(after, time);
}

bool Constraint::isActiveAt(MemberStates states, double time) const { return isActive(states[0], second(states), time); }

VectorXd Constraint::biasRateAt(MemberStates states, double time) const { return biasRate(states[0], second(states), time); }

VectorXd Constraint::targetRateAt(MemberStates states, double time) const {
  return targetRate(states[0], second(states), time);
}

VectorXd Constraint::reboundRateAt(MemberStates states, double time) const {
  return reboundRate(states[0], second(states), time);
}

std::optional<ForceLaw> Constraint::forceLawAt(MemberStates states, double time) const {
  return forceLaw(states[0], second(states), time);
}

bool Constraint::isTurnedOverAt(MemberStates states) const { return isTurnedOver(states[0], second(states)); }

JointReading Constraint::readingAt(MemberStates states) const { return reading(states[0], second(states)); }

void Constraint::evaluateInto(MemberStates states, double time, VectorXd& C) const { C = evaluateAt(states, time); }

void Constraint::jacobianInto(MemberStates states, double time, MatrixXd& J) const { J = jacobianAt(states, time); }

void Constraint::evaluateOverInto(MemberStates before, MemberStates after, double dt, double time, VectorXd& C) const {
  C = evaluateOver(before, after, dt, time);
}

void Constraint::targetRateInto(MemberStates states, double time, VectorXd& w) const { w = targetRateAt(states, time); }

void Constraint::reboundRateInto(MemberStates states, double time, VectorXd& rate) const { rate = reboundRateAt(states, time); }

ManyBodyConstraint::ManyBodyConstraint(std::span<const std::size_t> bodies) : Constraint(bodies) {}

VectorXd ManyBodyConstraint::biasRateAt(MemberStates states, double time) const { return calcBiasRate(*this, states, time); }

VectorXd ManyBodyConstraint::evaluate(const InertialState& stateA, const InertialState& stateB, double time) const {
  if (bodyCount() > 2) throw std::logic_error(typeName() + ": it has more than two bodies, use evaluateAt()");
  const InertialState states[] = {stateA, stateB};
  return evaluateAt({states, static_cast<std::size_t>(bodyCount())}, time);
}

MatrixXd ManyBodyConstraint::jacobian(const InertialState& stateA, const InertialState& stateB, double time) const {
  if (bodyCount() > 2) throw std::logic_error(typeName() + ": it has more than two bodies, use jacobianAt()");
  const InertialState states[] = {stateA, stateB};
  return jacobianAt({states, static_cast<std::size_t>(bodyCount())}, time);
}

InPlaceConstraint::InPlaceConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex)
    : InPlaceConstraint(std::array{bodyAIndex, bodyBIndex}) {}

void InPlaceConstraint::evaluateOverInto(MemberStates, MemberStates after, double, double time, VectorXd& C) const {
  evaluateInto(after, time, C);
}

void InPlaceConstraint::targetRateInto(MemberStates, double, VectorXd& w) const { w.setZero(dimension()); }

void InPlaceConstraint::reboundRateInto(MemberStates, double, VectorXd& rate) const { rate.setZero(dimension()); }

VectorXd InPlaceConstraint::evaluateAt(MemberStates states, double time) const {
  VectorXd C;
  evaluateInto(states, time, C);
  return C;
}

MatrixXd InPlaceConstraint::jacobianAt(MemberStates states, double time) const {
  MatrixXd J;
  jacobianInto(states, time, J);
  return J;
}

VectorXd InPlaceConstraint::evaluateOver(MemberStates before, MemberStates after, double dt, double time) const {
  VectorXd C;
  evaluateOverInto(before, after, dt, time, C);
  return C;
}

VectorXd InPlaceConstraint::targetRateAt(MemberStates states, double time) const {
  VectorXd w;
  targetRateInto(states, time, w);
  return w;
}

VectorXd InPlaceConstraint::reboundRateAt(MemberStates states, double time) const {
  VectorXd rate;
  reboundRateInto(states, time, rate);
  return rate;
}

VectorXd InPlaceConstraint::targetRate(const InertialState& stateA, const InertialState& stateB, double time) const {
  const InertialState states[] = {stateA, stateB};
  return targetRateAt({states, static_cast<std::size_t>(bodyCount())}, time);
}

VectorXd InPlaceConstraint::reboundRate(const InertialState& stateA, const InertialState& stateB, double time) const {
  const InertialState states[] = {stateA, stateB};
  return reboundRateAt({states, static_cast<std::size_t>(bodyCount())}, time);
}

void requireMembers(const std::string& label, const Constraint& constraint) {
  const int count = constraint.bodyCount(), listed = constraint.listedCount();
  if (count < 1 || count > std::max(2, listed)) {
    throw std::invalid_argument(fmt::format("{}: bodyCount() is {}: expected 1 or {}", label, count, std::max(2, listed)));
  }
  for (int k = 1; k < count; ++k) {
    for (int other = 0; other < k; ++other) {
      if (constraint.bodyIndex(k) != constraint.bodyIndex(other)) continue;
      throw std::invalid_argument(fmt::format("{}: {} of its bodies are body {}: expected {} different ones", label,
                                              count == 2 ? "both" : "two", constraint.bodyIndex(k),
                                              count == 2 ? "two" : std::to_string(count)));
    }
  }
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

void calcVelocityJacobian(const Constraint& constraint, MemberStates states, double time, const std::string& label, MatrixXd& J) {
  constraint.jacobianInto(states, time, J);
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
  if (!position_level) return;
  MatrixXd mapped(J.rows(), 6 * bodies);
  for (int k = 0; k < bodies; ++k) {
    mapped.middleCols<6>(6 * k) = J.middleCols<7>(7 * k) * calcVelocityMap(states[static_cast<std::size_t>(k)].orientation);
  }
  J = std::move(mapped);
}

MatrixXd calcVelocityJacobian(const Constraint& constraint, MemberStates states, double time, const std::string& label) {
  MatrixXd J;
  calcVelocityJacobian(constraint, states, time, label, J);
  return J;
}

MatrixXd calcVelocityJacobian(const Constraint& constraint, const InertialState& stateA, const InertialState& stateB,
                              double time, const std::string& label) {
  const InertialState states[] = {stateA, stateB};
  return calcVelocityJacobian(constraint, {states, constraint.bodyCount() == 1 ? 1u : 2u}, time, label);
}

void calcRate(const MatrixXd& J, MemberStates states, VectorXd& rate) {
  rate = J.leftCols<3>().lazyProduct(states[0].velocity) + J.middleCols<3>(3).lazyProduct(states[0].omega);
  for (std::size_t k = 1; k < states.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(6 * k);
    rate += J.middleCols<3>(column).lazyProduct(states[k].velocity) + J.middleCols<3>(column + 3).lazyProduct(states[k].omega);
  }
}

VectorXd calcRate(const MatrixXd& J, MemberStates states) {
  VectorXd rate;
  calcRate(J, states, rate);
  return rate;
}

VectorXd calcRate(const MatrixXd& J, const InertialState& stateA, const InertialState& stateB) {
  const InertialState states[] = {stateA, stateB};
  return calcRate(J, {states, J.cols() == 12 ? 2u : 1u});
}

double calcLargestSpeed(MemberStates states) {
  double largest = 0.0;
  for (const InertialState& state : states) largest = std::max({largest, state.velocity.norm(), state.omega.norm()});
  return largest;
}

}  // namespace cornet
