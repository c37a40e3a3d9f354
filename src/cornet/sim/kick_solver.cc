#include "cornet/sim/kick_solver.h"

#include <algorithm>
#include <utility>

namespace cornet {

namespace {

// The convex model has a solution wherever there are such velocities.
Solver makeConvexSolver() {
  SolverOptions options;
  options.setFriction(StepFriction::convex, 0);
  options.split_islands = false;
  return makeSolver(SolverKind::exact, options);
}

Solver makeBriefSolver(const SimulatorOptions& options) {
  SolverOptions brief = makeSolverOptions(options);
  constexpr int kFactorizations = 60;  // one attempt
  constexpr int kSweeps = 2000;
  brief.exact.max_factorizations = std::min(brief.exact.max_factorizations, kFactorizations);
  brief.gauss_seidel.max_iterations = std::min(brief.gauss_seidel.max_iterations, kSweeps);
  return makeSolver(options.solver, brief);
}

constexpr int kMostBlocks = 500;  // to look for jams in: larger problems take seconds

}  // namespace

KickSolver::KickSolver(const SimulatorOptions& options)
    : solver_(makeSolver(options.solver, makeSolverOptions(options))), brief_(makeBriefSolver(options)), convex_(makeConvexSolver()) {}

bool KickSolver::isJammed(const ContactProblem& problem) {
  if (is_brief_ || problem.rows.blockCount() > kMostBlocks) return false;
  cold_.lambda.setZero(problem.rows.rowCount());
  return convex_.solve(problem, cold_) == SolveStatus::infeasible;
}

SolveStatus KickSolver::solve(const ContactProblem& problem, Solution& solution) {
  if (is_brief_) return brief_.solve(problem, solution);
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
