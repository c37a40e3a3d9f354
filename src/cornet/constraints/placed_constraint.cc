#include "cornet/constraints/placed_constraint.h"

#include <utility>

namespace cornet {

PlacedConstraint::PlacedConstraint(const Constraint& constraint, std::string label)
    : constraint_(&constraint), label_(std::move(label)) {}

const VectorXd& PlacedConstraint::evaluate() {
  constraint_->evaluateInto(states_, time_, C_);
  return C_;
}

const VectorXd& PlacedConstraint::evaluateOver(MemberStates before, double dt) {
  constraint_->evaluateOverInto(before, states_, dt, time_, C_);
  return C_;
}

const MatrixXd& PlacedConstraint::calcJacobian() {
  calcVelocityJacobian(*constraint_, states_, time_, label_, J_);
  return J_;
}

const VectorXd& PlacedConstraint::calcRate() {
  cornet::calcRate(calcJacobian(), states_, rate_);
  return rate_;
}

const VectorXd& PlacedConstraint::calcTargetRate(double time) {
  constraint_->targetRateInto(states_, time, target_rate_);
  return target_rate_;
}

const VectorXd& PlacedConstraint::calcReboundRate() {
  constraint_->reboundRateInto(states_, time_, rebound_rate_);
  return rebound_rate_;
}

}  // namespace cornet
