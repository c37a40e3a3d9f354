#pragma once

#include <string>
#include <vector>

#include "cornet/world/world_model.h"

namespace cornet {

/// Two bodies that penetrate each other where they are.
struct Overlap {
  std::string a, b;    // names
  double depth = 0.0;  // [m] of the deepest contact
};

/// Pairs that overlap at the start by more than rounding, 1e-12 m, deepest first; not those that never touch.
/// Throws std::invalid_argument when a pair of shapes has no routine.
std::vector<Overlap> findOverlaps(const WorldModel& world);

/// "a and b overlap by 0.01 m at the start".
std::string toString(const Overlap& overlap);

}  // namespace cornet
