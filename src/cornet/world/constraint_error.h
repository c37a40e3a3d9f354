#pragma once

#include "cornet/constraints/placed_constraint.h"
#include "cornet/world/world_model.h"

/// How far a constraint of a world is from being met, as a length.
namespace cornet {

/// A constraint of a world with its bodies where a state has them; surroundings where their motion has brought them.
class ConstraintView : public PlacedConstraint {
 public:
  /// Nowhere yet. The world must outlive the view.
  ConstraintView(const WorldModel& world, int index);
  ConstraintView(const WorldModel& world, int index, const BodyStates& at);
  ConstraintView(const WorldModel& world, int index, const State& state);

  using PlacedConstraint::place;
  void place(const BodyStates& at);

 private:
  const WorldModel* world_;
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
ConstraintError calcConstraintError(const WorldModel& world, PlacedConstraint constraint);
/// The same with C known; J is the last one that the constraint was asked for.
ConstraintError calcConstraintError(const WorldModel& world, const PlacedConstraint& constraint, const VectorXd& C);

}  // namespace cornet
