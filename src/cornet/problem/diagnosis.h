#pragma once

#include <string>
#include <vector>

#include "cornet/problem/delassus_problem.h"

/// What makes a problem easy or hard, before anything is solved. With A = J M⁻¹Jᵀ + R:
///
///   rank of A with a unit diagonal;   condition = largest / smallest nonzero eigenvalue of A      (DIAG-1)
///   redundancy of a tree = rows that touch it - rank of its columns of J                         (DIAG-2)
///
/// Islands of up to `kExactRows` rows are analysed through all their eigenvalues. For larger ones the
/// condition is a lower bound from Lanczos steps and the rank an upper bound, and `exact` is false.
namespace cornet {

struct TreeDiagnosis {
  double mass = 0.0;    // mean of the first three diagonal entries of its block of M [kg]
  int dofs = 0;
  int rows = 0;         // that touch it
  int redundancy = 0;   // of them, beyond what its dofs can tell apart
};

struct Diagnosis {
  static constexpr int kExactRows = 600;

  int blocks = 0;
  int contacts = 0;     // cones
  int rows = 0;
  int dofs = 0;         // 0 for a Delassus problem
  int islands = 0;
  int largest_island = 0;  // blocks
  bool exact = true;
  int rank = 0;
  double condition = 1.0;
  double mass_ratio = 1.0;                     // largest tree mass / smallest, of trees with rows
  double effective_mass_min = 0.0;             // of a block [kg]
  double effective_mass_max = 0.0;
  std::vector<TreeDiagnosis> trees;            // empty for a Delassus problem
  std::string advice;

  int redundancy() const { return rows - rank; }
};

Diagnosis diagnose(const ContactProblem& problem);
Diagnosis diagnose(const DelassusProblem& problem);

}  // namespace cornet
