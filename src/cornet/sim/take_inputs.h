#pragma once

#include <span>
#include <vector>

#include "cornet/sim/step_constraint.h"
#include "cornet/sim/trees/step_tree.h"
#include "cornet/world/step_inputs.h"

namespace cornet {

/// Adds the forces of inputs to those of the bodies and gives drives what they are to aim at. Throws std::invalid_argument
/// when a body or joint does not exist, a joint lacks the drive that an input is for, or a number is not finite.
void takeInputs(const WorldModel& world, const StepInputs& inputs, std::span<BodyForce> forces,
                std::vector<StepConstraint>& constraints);

/// Velocities that bring guided surroundings evenly to where the inputs have them at the end of a step of dt; where these say nothing
/// they stand. Throws std::invalid_argument when surroundings do not exist or are not guided, or a pose is none.
void takeGuides(const WorldModel& world, const StepInputs& inputs, double dt, BodyStates& before);
/// Where they are at the end of it.
void moveGuided(const BodyStates& before, double dt, BodyStates& after);

/// Gives actuators of trees their controls over a step of dt from the time of the state, and moves activations to its end. Throws
/// std::invalid_argument when an actuator does not exist or a control is not finite.
void takeControls(const WorldModel& world, const StepInputs& inputs, double dt, const State& state, std::vector<StepTree>& trees);

}  // namespace cornet
