#pragma once

#include <string>
#include <vector>

#include "cornet/io/fclib.h"
#include "cornet/solvers/gauss_seidel.h"

/// Chooses a solver by name and runs it on a problem from a file.
namespace cornet::app {

/// Names accepted by `solveProblem`, the default first.
const std::vector<std::string>& solverNames();

struct SolverChoice {
  std::string name = solverNames().front();
  GaussSeidelOptions options;
};

/// Throws std::invalid_argument when an option of the chosen solver is out of range.
void requireValid(const SolverChoice& choice);

/// Solves `repeat` times from the same start; the solution carries the shortest time.
Solution solveProblem(const ProblemFile& file, const SolverChoice& choice, bool warm_start,
                      int repeat);

/// Scores impulses that come from elsewhere; the status says whether they meet the tolerance.
Solution scoreImpulses(const ProblemFile& file, const VectorXd& impulses,
                       const SolverChoice& choice);

}  // namespace cornet::app
