#include "cornet/sim/kick_solver.h"

namespace cornet {
namespace {

constexpr int kMostSweeps = 20'000;  // of Gauss-Seidel: a step that needs more is given up

using Solver = std::variant<ExactSolver, GaussSeidel, ActiveSet, EcosSolver>;

FrictionModel roundModelOf(const SimulatorOptions& options) {
  return options.friction_model == StepFriction::convex ? FrictionModel::convex : FrictionModel::coulomb;
}

ExactSolver makeExact(const SimulatorOptions& options) {
  ExactOptions result;
  result.tolerance = options.tolerance;
  result.friction_model = roundModelOf(options);
  return ExactSolver(result);
}

GaussSeidel makeGaussSeidel(const SimulatorOptions& options) {
  GaussSeidelOptions result;
  result.tolerance = options.tolerance;
  result.friction_model = roundModelOf(options);
  result.max_iterations = kMostSweeps;
  return GaussSeidel(result);
}

ActiveSet makeActiveSet(const SimulatorOptions& options) {
  ActiveSetOptions result;
  result.tolerance = options.tolerance;
  result.cone_approximation = approximationOf(options.friction_model);
  result.faces = options.faces;
  return ActiveSet(result);
}

EcosSolver makeEcos(const SimulatorOptions& options) {
  EcosOptions result;
  result.tolerance = options.tolerance;
  result.friction_model = roundModelOf(options);
  return EcosSolver(result);
}

Solver makeSolver(const SimulatorOptions& options) {
  switch (options.solver) {
    case SolverKind::gauss_seidel: return makeGaussSeidel(options);
    case SolverKind::active_set: return makeActiveSet(options);
    case SolverKind::ecos: return makeEcos(options);
    case SolverKind::exact: break;
  }
  return makeExact(options);
}

}  // namespace

KickSolver::KickSolver(const SimulatorOptions& options) : solver_(makeSolver(options)) {}

SolveStatus KickSolver::solve(const ContactProblem& problem, Solution& solution) {
  return std::visit([&](auto& solver) { return solver.solve(problem, solution); }, solver_);
}

}  // namespace cornet
