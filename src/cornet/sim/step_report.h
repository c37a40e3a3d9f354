#pragma once

#include <cstdint>
#include <vector>

#include "cornet/sim/step_data.h"
#include "cornet/problem/solution.h"

namespace cornet {

/// Mechanical energy and where it went.
struct EnergyReport {
  double kinetic = 0.0;     // at the end of the step [J]
  double potential = 0.0;   // of gravity
  double work_in = 0.0;     // of loads and surroundings, during the step
  double dissipated = 0.0;  // by contacts, constraints and drag, during the step
};

/// Seconds spent in each stage of a step.
struct StepTimes {
  double detect = 0.0;  // contacts and impacts
  double drift = 0.0;   // islands, and their way to the kick
  double assemble = 0.0;
  double solve = 0.0;
  double displace = 0.0;
  double total = 0.0;
};

/// What a step did, and the proof of it.
struct StepReport {
  SolveStatus status = SolveStatus::solved;  // otherwise that of an island that is not
  double relative = 0.0;            // certificate, the worst of all islands
  double velocity_error = 0.0;      // [m/s]
  double impulse_error = 0.0;       // [N s]
  int contacts = 0;                 // within the margins
  int closed = 0;                   // that carry
  int sticking = 0;                 // of those that carry
  int impacts = 0;
  int islands = 0;
  int sleeping_islands = 0;         // left as they were
  int unsolved_islands = 0;
  int capped_islands = 0;           // impacts that would have gained energy
  int corrected_islands = 0;        // penetrations taken back
  double penetration = 0.0;         // deepest at the start of the step [m]
  int iterations = 0;
  int factorizations = 0;
  EnergyReport energy;
  StepTimes times;
  std::uint64_t state_hash = 0;
};

}  // namespace cornet
