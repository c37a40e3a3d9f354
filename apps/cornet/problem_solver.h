#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "cornet/io/fclib.h"
#include "cornet/solvers/solver.h"

/// Chooses a solver by name and runs it on a problem from a file.
namespace cornet::app {

/// Names of solvers that know friction, the default first.
const std::vector<std::string>& frictionSolverNames();

struct SolverChoice : SolverOptions {
  std::string name = "exact";

  double tolerance() const { return exact.tolerance; }
};

/// Flags --solver, --threads, and every option of every solver; shared ones once.
void addSolverFlags(Verb verb, SolverChoice& choice);
/// To be called after parsing: hands shared options on. Throws UsageError when a flag means
/// nothing to the chosen solver or is out of range.
void finishSolverFlags(Verb verb, SolverChoice& choice);

/// Throws UsageError when this program has no such solver.
void requireSolver(const std::string& name);

/// Solves `repeat` times from the same start; the solution carries the shortest time. What the
/// solver has to say beyond that goes to `remark`.
Solution solveProblem(const ProblemFile& file, const SolverChoice& choice, bool warm_start,
                      int repeat, std::string* remark = nullptr);

/// Scores impulses that come from elsewhere; the status says whether they meet the tolerance.
Solution scoreImpulses(const ProblemFile& file, const VectorXd& impulses,
                       const SolverChoice& choice);

}  // namespace cornet::app
