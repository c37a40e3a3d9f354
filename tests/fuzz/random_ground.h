#pragma once

#include <string>
#include <vector>

#include "random_body.h"

/// Surroundings of random scenes: what bodies fall on, lie in or are hung from. They are fitted to bodies that have
/// their places, so that the nearest of them is within a small gap.
namespace cornet::fuzz {

enum class GroundKind { none, floor, slope, box, bowl, platform };

struct Ground {
  std::string text;                // TOML of all of it
  std::vector<std::string> names;  // of surroundings that joints may use
};

/// `gap` [m] is left between the ground and the body that is nearest.
Ground drawGround(Random& random, GroundKind kind, const std::vector<RandomBody>& bodies, double gap, int materials,
                  double duration);

/// A motion as a line of TOML, or nothing. Speeds are such that `reach` [m] is about what is passed in `duration`.
std::string drawMotion(Random& random, double reach, double duration, bool may_turn);

}  // namespace cornet::fuzz
