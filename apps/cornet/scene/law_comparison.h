#pragma once

#include <array>
#include <string>
#include <vector>

#include "cornet/sim/options.h"

/// Two scenes with closed forms, stepped under Coulomb's law and under what others put in its place: a box at
/// rest on a ramp that holds it, and a cube that slides to rest, both in many directions.
namespace cornet::app {

/// A law to step with.
struct LawChoice {
  std::string name;
  SolverKind solver = SolverKind::exact;
  StepFriction friction_model = StepFriction::coulomb;
};

/// What it does, the worst of all headings.
struct LawResult {
  double ramp_drift = 0.0;    // [m] of a box that holds, in one second
  double lift = 0.0;          // [m] of the sliding cube
  double off_heading = 0.0;   // [rad] its way from its first direction
  double way_error = 0.0;     // of its way, relative
};

/// Coulomb's law, the convex model, pyramids of four and eight sides.
const std::vector<LawChoice>& comparedLaws();
LawResult calcLawResult(const LawChoice& law);

/// All of them in a table, beside the exact values.
std::string lawTable();

}  // namespace cornet::app
