#pragma once

#include "cornet/world/world_model.h"

/// How far a constraint of a world is from being met, as a length.
namespace cornet {

/// A constraint with its bodies where a state has them; surroundings where their motion has brought them.
struct ConstraintView {
  ConstraintView(const WorldModel& world, int index, const BodyStates& at);
  ConstraintView(const WorldModel& world, int index, const State& state);

  bool isActive() const { return constraint.isActiveAt(states, time); }
  VectorXd evaluate() const { return constraint.evaluateAt(states, time); }
  MatrixXd calcJacobian() const { return calcVelocityJacobian(constraint, states, time, constraint.typeName()); }
  VectorXd calcTargetRate() const { return constraint.targetRateAt(states, time); }
  JointReading calcReading() const { return constraint.readingAt(states); }
  /// J v.
  VectorXd calcRate() const { return cornet::calcRate(calcJacobian(), states); }

  const Constraint& constraint;
  int index;
  std::vector<InertialState> states;  // of its bodies
  double time;
};

struct ConstraintError {
  double metres = 0.0;    // turns times the larger body's size
  double relative = 0.0;  // in sizes of the smaller body; of turns their angle
};

/// The error of equality rows is C, of unilateral ones what is below zero, of the others none; by the length of its
/// row every C becomes metres or, of rows that only turn, radians, and the rows of one constraint are one vector,
///
///   (Σ C_k²/|J_v,k|²)^½,   of rows with J_v = 0:  (Σ C_k²/|J_ω,k|²)^½ times the size             (AUDIT-1)
/// with the longest J_v and J_ω of its bodies.
/// A joint that is turned over is off by a radian.
ConstraintError calcConstraintError(const WorldModel& world, const ConstraintView& view);
/// The same with J, and C, known.
ConstraintError calcConstraintError(const WorldModel& world, const ConstraintView& view, const MatrixXd& J, const VectorXd& C);

}  // namespace cornet
