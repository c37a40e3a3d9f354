#pragma once

#include <span>
#include <vector>

#include "cornet/sim/step_constraint.h"
#include "cornet/world/step_inputs.h"

namespace cornet {

/// Adds the forces of inputs to those of the bodies and gives drives what they are to aim at. Throws std::invalid_argument
/// when a body or joint does not exist, a joint lacks the drive that an input is for, or a number is not finite.
void takeInputs(const WorldModel& world, const StepInputs& inputs, std::span<BodyForce> forces,
                std::vector<StepConstraint>& constraints);

}  // namespace cornet
