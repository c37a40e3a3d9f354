#pragma once

#include <string>
#include <vector>

#include "cornet/world/world_model.h"

/// Whether a world can begin as it stands: bodies that overlap, joints whose parts do not meet, limits that are passed, and
/// constraints that no motion of the bodies can meet together. All of these are the joint position problem
///
///   min ½‖dq‖²_M,   C(q) = 0 of equalities,  C(q) ≥ 0 of limits,  g(q) ≥ 0 of gaps,                 (START-1)
///
/// solved by linearising it again and again, with a compliance that makes contradictions a compromise: what is left then
/// is what contradicts.
namespace cornet {

struct StartFault {
  enum class Kind { overlap, open_joint, passed_limit, contradiction };
  Kind kind = Kind::overlap;
  std::string a, b;     // bodies; of a joint its name in `a` alone, of a row of a tree that and the first link
  double size = 0.0;    // [m] depth, error, or what a compromise leaves of it

  bool operator==(const StartFault&) const = default;
};

/// "a and b overlap by 0.01 m at the start", "joint 'rod' is open by 0.5 m at the start", ...
std::string toString(const StartFault& fault);

/// Faults at the start by more than rounding: overlaps of more than 1e-12 m, errors of joints of more than 1e-9 of their
/// smaller body's size; contradictions first, then by size. Throws std::invalid_argument when a pair of shapes has no routine.
std::vector<StartFault> findStartFaults(const WorldModel& world);

/// The nearest state without faults, velocities as they are.
struct StartRepair {
  State state;
  double largest_way = 0.0;  // of a point of a body [m],
  std::string body;          //   the one that moved so far
  std::vector<StartFault> left;
};
StartRepair repairStart(const WorldModel& world);
/// The same for any other state, surroundings as they are at its time.
StartRepair repairState(const WorldModel& world, const State& state);

}  // namespace cornet
