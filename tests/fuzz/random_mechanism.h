#pragma once

#include <string>
#include <vector>

#include "random_body.h"

/// Bodies that joints hold together: chains, trees and closed loops, hung from something or free.
namespace cornet::fuzz {

/// Faults that a scene begins with on purpose.
struct MechanismFaults {
  bool limits = false;     // outside of their limits
  bool distances = false;  // lengths that contradict each other or the start
};

struct Mechanism {
  std::string joints;        // TOML of constraints and excluded pairs
  std::string surroundings;  // TOML of hooks that it hangs from
  std::vector<std::string> hooks;  // their names; nothing should touch them
};

/// Places the bodies, which must have no place yet, beginning at `origin`, and joins them. `duration` [s] is that of
/// the scene, for motors and hooks that move. Names of hooks begin with `prefix`.
Mechanism joinBodies(Random& random, const Vector3d& origin, double duration, const MechanismFaults& faults,
                     const std::string& prefix, std::vector<RandomBody>& bodies);

}  // namespace cornet::fuzz
