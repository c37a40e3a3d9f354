#pragma once

#include "cornet/sim/island.h"

namespace cornet {

/// Of the kinetic energy: gains below are rounding.
inline constexpr double kEnergyRounding = 1e-12;

/// Where an island's energy went over a step that is done.
struct EnergyChange {
  double kinetic = 0.0;  // at the start [J]
  double gain = 0.0;     // of mechanical energy, less the work of forces and surroundings; < 0 dissipates
};

/// Whether the normal of a contact that carries has turned on the way to the kick.
bool anyTurns(const StepView& step, const Island& island);

EnergyChange calcEnergyChange(const StepView& step, const Island& island);

}  // namespace cornet
