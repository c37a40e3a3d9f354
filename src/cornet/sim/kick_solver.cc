#include "cornet/sim/kick_solver.h"

#include <utility>

namespace cornet {

KickSolver::KickSolver(const SimulatorOptions& options)
    : solver_(makeSolver(options.solver, makeSolverOptions(options))) {}

SolveStatus KickSolver::solve(const ContactProblem& problem, Solution& solution) {
  const bool is_warm = !solution.lambda.isZero(0.0);
  if (solver_.solve(problem, solution) == SolveStatus::solved || !is_warm) return solution.status;
  cold_.lambda.setZero(problem.rows.rowCount());
  solver_.solve(problem, cold_);
  const int iterations = solution.iterations + cold_.iterations;
  const int factorizations = solution.factorizations + cold_.factorizations;
  const bool is_better = cold_.status == SolveStatus::solved || cold_.certificate.relative < solution.certificate.relative;
  if (is_better) std::swap(solution, cold_);
  solution.iterations = iterations;
  solution.factorizations = factorizations;
  return solution.status;
}

}  // namespace cornet
