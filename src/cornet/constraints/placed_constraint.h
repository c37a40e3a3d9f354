#pragma once

#include "cornet/constraints/constraint.h"

namespace cornet {

/// A constraint where its bodies are at some time, with storage for what it says there: asked from step to step it takes no memory,
/// if the constraint takes none. Each value stands until it is asked for again.
class PlacedConstraint {
 public:
  /// `label` is for messages. The constraint must outlive this.
  PlacedConstraint(const Constraint& constraint, std::string label);

  /// The states of its bodies, by a function of their numbers.
  template <class StateOf>
  void place(double time, const StateOf& stateOf) {
    time_ = time;
    states_.clear();
    for (int k = 0; k < constraint_->bodyCount(); ++k) states_.push_back(stateOf(static_cast<int>(constraint_->bodyIndex(k))));
  }

  const Constraint& constraint() const { return *constraint_; }
  const std::string& label() const { return label_; }
  double time() const { return time_; }
  MemberStates states() const { return states_; }
  /// Of B, or of the only body.
  const InertialState& stateOfB() const { return states_[states_.size() > 1 ? 1 : 0]; }

  bool isActive() const { return constraint_->isActiveAt(states_, time_); }
  bool isTurnedOver() const { return constraint_->isTurnedOverAt(states_); }
  JointReading calcReading() const { return constraint_->readingAt(states_); }

  /// C.
  const VectorXd& evaluate();
  /// C at the end of a step of length dt that came from `before`.
  const VectorXd& evaluateOver(MemberStates before, double dt);
  /// J, 6 columns for each body.
  const MatrixXd& calcJacobian();
  /// The last one.
  const MatrixXd& jacobian() const { return J_; }
  /// J v; calculates J.
  const VectorXd& calcRate();
  /// w.
  const VectorXd& calcTargetRate() { return calcTargetRate(time_); }
  /// The same with bodies where they are, at another time.
  const VectorXd& calcTargetRate(double time);
  const VectorXd& calcReboundRate();

 private:
  const Constraint* constraint_;
  std::string label_;
  double time_ = 0.0;
  std::vector<InertialState> states_;  // of its bodies
  MatrixXd J_;
  VectorXd C_, rate_, target_rate_, rebound_rate_;
};

}  // namespace cornet
