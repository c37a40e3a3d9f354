#pragma once

#include "cornet/sim/island.h"

/// Joints under load turn bodies back when they tilt, like taut strings. Where that is stiff for the step, the kick takes it
/// implicitly: with f the last step's force of a joint on a body, K = -∂(torque of f)/∂(rotation), symmetric part, of which
/// the positive part,
///
///   if h² max eig(I⁻¹K) > ½:   I + h²K in M,   v_f,ang := (I + h²K)⁻¹I v_f,ang                    (STEP-22)
namespace cornet {

/// Sets the stiffness h²K of the island's bodies, at the kick pose; zero where it is not needed.
void setStiffness(const StepView& step, const Island& island, double theta, const StepMemory& memory);

}  // namespace cornet
