#pragma once

#include <span>

#include "cornet/sim/step_report.h"
#include "cornet/world/outcomes.h"

namespace cornet {

/// A world at one instant, for those who look on: probes, recordings. Report and outcomes are those of the step that led to
/// it; there are none at the start.
struct Moment {
  const WorldModel& world;
  const BodyStates& state;
  const StepReport* last = nullptr;
  std::span<const ContactOutcome> contacts = {};
  std::span<const JointOutcome> joints = {};
  double dt = 0.0;           // of that step [s]
  StepBounds bounds = {};
  int unsolved_steps = 0;    // so far
  int inaccurate_steps = 0;  // so far, unsolved ones among them
  double work = 0.0;         // of loads, motors and moving surroundings so far [J]
  double dissipated = 0.0;   // by contacts, constraints and drag so far [J]
  std::span<const Waypoint> waypoints = {};  // of that step
  const State* coordinates = nullptr;        // positions, velocities and activations of trees; null: not known
  std::span<const TreeOutcome> trees = {};   // of that step
};

}  // namespace cornet
