#pragma once

#include "cornet/sim/contact_search.h"

/// How contacts of a step are made from what collision says about two shapes.
namespace cornet {

/// Acceleration of B's point relative to A's, without contacts.
Vector3d calcRelativeAcceleration(const StepBody& a, const Vector3d& arm_a, const StepBody& b,
                                  const Vector3d& arm_b);

/// Contact k as detection found it, with its velocities; `joins`: at one point (STEP-18).
StepContact makeContact(const WorldModel& world, const ContactSet& found, int k, bool joins,
                        const std::vector<StepBody>& bodies);

/// A contact of the same shapes as `first`, with its bodies elsewhere, at `state_a` and `state_b`. Its gap still lacks
/// the way from the start to there.
StepContact makeContactAt(const StepContact& first, const ManifoldPoint& point, const InertialState& state_a,
                          const InertialState& state_b, const std::vector<StepBody>& bodies);

/// Whether and when a contact is an impact, and what it wants.                                  (STEP-3), (STEP-4)
void judgeImpact(const Search& search, StepContact& contact);

/// Semi-implicit Euler knows no times: what closes within the step rebounds at its end.
void judgeImpactAtStart(const Search& search, StepContact& contact);

}  // namespace cornet
