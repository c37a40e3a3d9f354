#pragma once

#include <optional>
#include <utility>

#include "cornet/sim/held_factor.h"
#include "cornet/sim/island.h"

/// Rows of the problem of positions, at the pose of the kick or of the end of the step:
///
///   contact      n·(d_B - d_A) along the normal, t·(d_B - d_A) across it, d at the points it has at that pose
///   constraint   J d, J of that pose
///
/// over the velocities of what moves. What surroundings and belts do by themselves is in the targets of rows at the kick; at the
/// end they have done it.
namespace cornet {

/// Where rows are made, and what they ask for: velocities over the step, or what is still to go.
enum class PlacePose : std::uint8_t { kick, end };

/// A contact at a pose.
struct ContactPlace {
  Vector3d normal, arm_a, arm_b;
  double gap;             // at the kick: of the start
  double rounding = 0.0;  // of it, over the softness of its row
};

/// Nothing at the end for contacts whose features are not known at any pose.
std::optional<ContactPlace> findPlace(const StepView& step, const StepContact& contact, PlacePose pose);

/// One direction of a contact. Contacts are a thousand times as soft as constraints: where not both can be met, constraints are.
void addContactRow(const StepView& step, const StepContact& contact, const ContactPlace& place, PlacePose pose,
                   const Vector3d& direction, double target, HeldRowList& rows);

/// Row k of a constraint with the Jacobian J, as soft as joints are.
void addConstraintRow(const StepView& step, const StepConstraint& constraint, const MatrixXd& J, PlacePose pose,
                      Eigen::Index k, double target, HeldRowList& rows);

/// All rows of a constraint at the kick that move anything, as they act on what moves.
void addActingRows(const StepView& step, const StepConstraint& constraint, HeldRowList& rows);

/// A constraint at the end pose: C and J, in storage that is kept for the constraint, and what of C is rounding.
struct ConstraintPlace {
  const VectorXd& C;
  const MatrixXd& J;
  double rounding = 0.0;
};
ConstraintPlace findEnd(const StepView& step, StepConstraint& constraint);

}  // namespace cornet
