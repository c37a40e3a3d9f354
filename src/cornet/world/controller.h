#pragma once

#include <functional>

#include "cornet/world/state.h"
#include "cornet/world/step_inputs.h"

namespace cornet {

/// A law of control: fills the inputs of a step from the time [s] and the state at its start. It is asked once a step, and what it
/// says is held over the step, in all parts of it. `inputs` come without forces and targets and with rates 0, in memory
/// that is used again, so that a law need not allocate. It must depend on time and state only, or runs cannot be repeated.
using Controller = std::function<void(double time, const State& state, StepInputs& inputs)>;

}  // namespace cornet
