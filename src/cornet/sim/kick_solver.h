#pragma once

#include "cornet/sim/options.h"
#include "cornet/solvers/solver.h"

namespace cornet {

/// Solves the problem of a kick by the solver and under the friction model that the options name. Not for use
/// by two threads at once.
class KickSolver {
 public:
  /// The options must be valid.
  explicit KickSolver(const SimulatorOptions& options);

  /// As the solvers' own: warm-started from `solution.lambda`, and where that misses the tolerance from nothing; the
  /// certificate is that of the friction model.
  SolveStatus solve(const ContactProblem& problem, Solution& solution);
  /// Brief solves have a small budget and are not begun anew: for what was not solved in the steps before, and will hardly be now.
  void setBrief(bool is_brief) { is_brief_ = is_brief; }
  /// Whether there are no velocities with u_n ≥ μ|u_t| at all contacts that constraints allow. Then nothing says that the law has a
  /// solution: what moves presses bodies into friction that holds them.                          (STEP-36)
  bool isJammed(const ContactProblem& problem);

 private:
  bool is_brief_ = false;
  Solver solver_, brief_;
  Solver convex_;
  Solution cold_;
};

}  // namespace cornet
