#pragma once

#include <vector>

#include "cornet/sim/island.h"
#include "cornet/world/outcomes.h"

/// What a step tells of itself when it is done.
namespace cornet {

/// Impulses of a retaken step that act at its start are in those of their contacts; `moments` has what their arms change.
void makeContactOutcomes(const std::vector<StepContact>& contacts,
                         std::vector<ContactOutcome>& outcomes, std::vector<ContactMoment>& moments);

/// One for each constraint of the world.
void makeConstraintOutcomes(const std::vector<StepConstraint>& constraints, std::vector<ConstraintOutcome>& outcomes);

/// One for each tree of the world.
void makeTreeOutcomes(const std::vector<StepTree>& trees, std::vector<TreeOutcome>& outcomes);

}  // namespace cornet
