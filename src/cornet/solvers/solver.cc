#include "cornet/solvers/solver.h"

#include <type_traits>

namespace cornet {

ConeApproximation approximationOf(StepFriction model) {
  switch (model) {
    case StepFriction::pyramid: return ConeApproximation::pyramid;
    case StepFriction::box: return ConeApproximation::box;
    case StepFriction::scaled_box: return ConeApproximation::scaled_box;
    case StepFriction::polygon: return ConeApproximation::polygon;
    case StepFriction::coulomb:
    case StepFriction::convex: break;
  }
  return ConeApproximation::none;
}

bool isPolygon(StepFriction model) { return approximationOf(model) != ConeApproximation::none; }

std::vector<std::string> wordsOf(FrictionModel) { return {"coulomb", "convex"}; }
std::vector<std::string> wordsOf(StepFriction) { return {"coulomb", "convex", "pyramid", "box", "scaled_box", "polygon"}; }
std::vector<std::string> wordsOf(ConeApproximation) { return {"none", "pyramid", "box", "scaled_box", "polygon"}; }
std::vector<std::string> wordsOf(SystemForm) { return {"automatic", "velocity", "delassus"}; }
std::vector<std::string> wordsOf(SolverKind) { return {"exact", "gauss_seidel", "active_set", "ecos"}; }

void SolverOptions::setTolerance(double tolerance) {
  visitSolvers(*this, [&](SolverKind, const char*, auto& options) { options.tolerance = tolerance; });
}

void SolverOptions::setFriction(StepFriction model, int faces) {
  const FrictionModel round = model == StepFriction::convex ? FrictionModel::convex : FrictionModel::coulomb;
  exact.friction_model = gauss_seidel.friction_model = ecos.friction_model = round;
  active_set.cone_approximation = approximationOf(model);
  active_set.faces = faces;
}

void SolverOptions::setBudget(int count) {
  exact.max_factorizations = count;
  gauss_seidel.max_iterations = active_set.max_iterations = cholesky.max_iterations = ecos.max_iterations = count;
}

void SolverOptions::setMaxSeconds(double seconds) {
  exact.max_seconds = gauss_seidel.max_seconds = ecos.max_seconds = seconds;
}

void SolverOptions::setInterrupt(const std::atomic<bool>* interrupt) {
  exact.interrupt = gauss_seidel.interrupt = active_set.interrupt = ecos.interrupt = interrupt;
}

const std::vector<std::string>& solverNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    const SolverOptions options;
    visitSolvers(options, [&](SolverKind, const char* name, const auto&) { list.emplace_back(name); });
    return list;
  }();
  return names;
}

std::optional<SolverKind> findSolver(std::string_view name) {
  std::optional<SolverKind> found;
  const SolverOptions options;
  visitSolvers(options, [&](SolverKind kind, std::string_view other, const auto&) {
    if (name == other) found = kind;
  });
  return found;
}

template <class Problem>
SolveStatus Solver::solveAny(const Problem& problem, Solution& solution) {
  ecos_report_ = {};
  return std::visit(
      [&](auto& solver) {
        if constexpr (std::is_same_v<std::decay_t<decltype(solver)>, EcosSolver>) {
          return solver.solve(problem, solution, &ecos_report_);
        } else {
          return solver.solve(problem, solution);
        }
      },
      solver_);
}
template SolveStatus Solver::solveAny(const ContactProblem&, Solution&);
template SolveStatus Solver::solveAny(const DelassusProblem&, Solution&);

Solver makeSolver(SolverKind kind, const SolverOptions& options) {
  switch (kind) {
    case SolverKind::gauss_seidel: return Solver(GaussSeidel(options.gauss_seidel));
    case SolverKind::active_set: return Solver(ActiveSet(options.active_set));
    case SolverKind::cholesky: return Solver(CholeskySolver(options.cholesky));
    case SolverKind::ecos: return Solver(EcosSolver(options.ecos));
    case SolverKind::exact: break;
  }
  if (!options.split_islands) return Solver(ExactSolver(options.exact));
  return Solver(IslandSolver(options.exact, options.threads));
}

}  // namespace cornet
