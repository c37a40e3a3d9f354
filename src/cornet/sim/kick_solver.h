#pragma once

#include <variant>

#include "cornet/sim/options.h"
#include "cornet/solvers/active_set.h"
#include "cornet/solvers/ecos.h"
#include "cornet/solvers/gauss_seidel.h"

namespace cornet {

/// Solves the problem of a kick by the solver and under the friction model that the options name. Not for use
/// by two threads at once.
class KickSolver {
 public:
  /// The options must be valid.
  explicit KickSolver(const SimulatorOptions& options);

  /// As the solvers' own: warm-started from `solution.lambda`; the certificate is that of the friction model.
  SolveStatus solve(const ContactProblem& problem, Solution& solution);

 private:
  std::variant<ExactSolver, GaussSeidel, ActiveSet, EcosSolver> solver_;
};

}  // namespace cornet
