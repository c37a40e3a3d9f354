#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cornet/solvers/active_set.h"
#include "cornet/solvers/cholesky.h"
#include "cornet/solvers/ecos.h"
#include "cornet/solvers/gauss_seidel.h"
#include "cornet/solvers/island_solver.h"

/// Solvers by name, for all who leave the choice to others: scenes, the program, ConstraintSolver. One word names a solver
/// or a law everywhere, and `makeSolver()` is the one place that turns it into something that solves.
namespace cornet {

/// `cholesky` knows equalities only, so that steps do not offer it.
enum class SolverKind : std::uint8_t { exact, gauss_seidel, active_set, ecos, cholesky };

/// What stands for Coulomb's cone in a step. All but `coulomb` are other laws, there for comparison: the convex
/// program over the round cone, and the polygons of docs/math/cone_models.md, along the axes of each contact.
enum class StepFriction : std::uint8_t { coulomb, convex, pyramid, box, scaled_box, polygon };

ConeApproximation approximationOf(StepFriction model);
bool isPolygon(StepFriction model);

/// The words of an option with a fixed choice, in the order of its values; of solvers those that know contacts.
std::vector<std::string> wordsOf(FrictionModel);
std::vector<std::string> wordsOf(StepFriction);
std::vector<std::string> wordsOf(ConeApproximation);
std::vector<std::string> wordsOf(SystemForm);
std::vector<std::string> wordsOf(SolverKind);

/// The options of all solvers. Each keeps its own; what several have is set at once.
struct SolverOptions {
  ExactOptions exact;
  GaussSeidelOptions gauss_seidel;
  ActiveSetOptions active_set;
  CholeskyOptions cholesky;
  EcosOptions ecos;
  bool split_islands = true;  // exact: false for problems that are one island
  int threads = 1;            // islands that are solved at the same time

  void setTolerance(double tolerance);
  /// Polygons are those of active_set; the other solvers then keep Coulomb's law.
  void setFriction(StepFriction model, int faces);
  /// Factorizations of exact, sweeps of gauss_seidel, pivots of active_set, refinements of cholesky, iterations of one
  /// conic solve of ecos.
  void setBudget(int count);
  /// Wall time [s], for those that look at it.
  void setMaxSeconds(double seconds);
  void setInterrupt(const std::atomic<bool>* interrupt);
};

/// Calls visit(kind, name, options) for every solver, in the order in which they are offered.
template <class Options, class Visitor>
void visitSolvers(Options& options, Visitor&& visit) {
  visit(SolverKind::exact, "exact", options.exact);
  visit(SolverKind::gauss_seidel, "gauss_seidel", options.gauss_seidel);
  visit(SolverKind::active_set, "active_set", options.active_set);
  visit(SolverKind::cholesky, "cholesky", options.cholesky);
  visit(SolverKind::ecos, "ecos", options.ecos);
}

/// Names of all solvers, the default first; and the solver of a name, if there is one.
const std::vector<std::string>& solverNames();
std::optional<SolverKind> findSolver(std::string_view name);

/// Any of the solvers. Keeps memory between calls; not for use by two threads at once.
class Solver {
 public:
  /// As the solver's own: warm-started from `solution.lambda`, judged by the certificate of its law.
  SolveStatus solve(const ContactProblem& problem, Solution& solution) { return solveAny(problem, solution); }
  SolveStatus solve(const DelassusProblem& problem, Solution& solution) { return solveAny(problem, solution); }

  /// What ECOS said of the last solve; as it was made for the others.
  const EcosReport& ecosReport() const { return ecos_report_; }

 private:
  using Any = std::variant<ExactSolver, IslandSolver, GaussSeidel, ActiveSet, CholeskySolver, EcosSolver>;
  friend Solver makeSolver(SolverKind kind, const SolverOptions& options);
  explicit Solver(Any solver) : solver_(std::move(solver)) {}
  template <class Problem>
  SolveStatus solveAny(const Problem& problem, Solution& solution);

  Any solver_;
  EcosReport ecos_report_;
};

/// Throws std::invalid_argument when one of the solver's own options is out of range. ECOS is made where this program has
/// none too, and solves nothing (`ecosBackend()`).
Solver makeSolver(SolverKind kind, const SolverOptions& options = {});

}  // namespace cornet
