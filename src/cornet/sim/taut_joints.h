#pragma once

#include "cornet/sim/island.h"

/// Joints under load turn bodies back when they tilt, like taut strings. Where that is stiff for the step, the kick takes it
/// implicitly: with f the last step's force of a joint on a body, K = -∂(torque of f)/∂(rotation), symmetric part, and z, x the modes
/// of h²K x = z I x with z > 0, where one of them is above ½,
///
///   (I + S)(ω⁺ - ω) = h τ - D ω + angular impulses,   S = δ(d) d + z/4,  d = max(0, z - 1)/2 in every mode, D = d    (STEP-22)
///
/// S of z/4 alone keeps the energy of a mode, d damps those that a step cannot resolve; δ as for dampers. What S and D do is
/// part of the torque that the joint reports which pulls hardest.
namespace cornet {

/// Sets S and D of the island's bodies, at the kick pose; zero where it is not needed.
void setStiffness(const StepView& step, const Island& island, double theta);

}  // namespace cornet
