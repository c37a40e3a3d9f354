#pragma once

#include <string>
#include <vector>

#include "cornet/problem/contact_problem.h"

/// Scenes on which solvers are compared: two bodies that meet at a ring of contacts, and stacks.
namespace cornet::bench {

struct Case {
  std::string family;   // "ring" or "stack"
  std::string motion;   // "stick" or "slip"
  int contacts = 0;
  double mu = 0.5;
  double mass_ratio = 1.0;
  ContactProblem problem;
};

/// Rings of 1, 5, 10, 20 contacts for mu 0.1, 0.5, 0.9 and mass ratios 1 to 1000, sticking and slipping;
/// stacks of 1, 5, 10, 20, 50 boxes.
std::vector<Case> makeCases();

}  // namespace cornet::bench
