#pragma once

#include <random>

#include "cornet/problem/contact_problem.h"

namespace cornet::test {

/// Which laws a random problem may hold.
struct RandomProblemOptions {
  int max_blocks = 8;
  double max_mu = 10.0;
  double max_mass_ratio = 1e6;
  bool all_laws = true;        // otherwise cones with finite μ > 0 only
  bool infinite_friction = true;
};

/// A small problem that has a solution: a velocity is chosen at random and the bias such that it
/// lies inside the dual cone of every law (for an equality, on it). Masses, friction and geometry
/// vary by orders of magnitude; rows are often redundant.
ContactProblem makeRandomProblem(std::mt19937_64& random, const RandomProblemOptions& options = {});

}  // namespace cornet::test
