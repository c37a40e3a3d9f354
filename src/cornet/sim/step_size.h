#pragma once

#include "cornet/sim/error_control.h"
#include "cornet/world/state.h"

/// Which step to try next. With ε = error / accuracy of a step of size h, ε₋ that of the step before, at least 10⁻³, and
/// [x] for x kept within the bounds:
///
///   stands, ε ≤ 1      h ← h [0.97 ε^-0.35 ε₋^0.2] from 0.1 to 5                               (ERR-4)
///   does not           h ← h [0.9 ε^-½] from 0.1 to 0.9;  not a number: 0.1                    (ERR-5)
///   always             min_step ≤ h ≤ max_step
///
/// Steps settle at ε = 0.81. The exponents are those of an error of a step that falls with h², as that of a scheme of first order does; of a scheme of higher
/// order steps grow more slowly than they might, which a few more steps make up for.
namespace cornet {

/// A step to try, with `rest` seconds to go.
struct StepChoice {
  double h = 0.0;
  bool lands = false;   // at the end of the rest
  bool is_cut = false;  // by it, so that what it shows about larger steps counts only if they may be larger
};

/// The step that is wanted; one that reaches beyond the rest, or short of it by a thousandth, is that rest, and where two would
/// reach it the rest is halved: no slivers.                                                      (ERR-6)
StepChoice chooseStep(const ErrorControl& control, double rest, double wanted);

/// (ERR-4). After a step that was cut, the larger of this and what was wanted before: many short advances shrink nothing.
void learnAccepted(const ErrorControl& control, const StepChoice& taken, double error, StepControlMemory& memory);
/// (ERR-5): what to try instead.
double shrink(const ErrorControl& control, double h, double error);

}  // namespace cornet
