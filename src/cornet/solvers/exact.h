#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "cornet/problem/solution.h"

/// The exact solver: all laws in one problem, Coulomb friction without approximation.
///
///   bodies at rest: one factorization; otherwise
///   sweeps of Gauss-Seidel -> interior point with the exact De Saxcé Jacobian -> semismooth polish
///
/// Every iterate is judged by its certificate and by the measure the field publishes; the best one is
/// returned, whatever happened. The solver starts from the impulses in `solution` (zero if there are
/// none); if they already meet the tolerance nothing is factored. Islands of up to `polish_blocks`
/// blocks are polished to the rounding floor when the tolerance is 1e-6 or below.
///
/// Problems with equalities that one attempt does not solve are solved in the velocities that equalities leave,
/// and further from there. Where rows repeat each other the last digits come from the rows that act, met at once.
///
/// Meant for one island at a time. Memory is kept between calls: a solve of a problem with the
/// structure of the last one allocates nothing. Not for use by two threads at once.
///
/// Method, reasons and limits: docs/math/exact.md.
namespace cornet {

namespace exact {
class ActingRows;
}

/// Which linear systems the interior point factors: those of the velocities, M + JᵀGJ, or those of
/// the rows, W + G⁻¹; `automatic` takes the one with fewer predicted operations.
enum class SystemForm : std::uint8_t { automatic, velocity, delassus };

struct ExactOptions {
  double tolerance = 1e-8;
  int max_factorizations = 600;
  double max_seconds = std::numeric_limits<double>::infinity();
  int polish_blocks = 64;
  FrictionModel friction_model = FrictionModel::coulomb;
  SystemForm system_form = SystemForm::automatic;
  const std::atomic<bool>* interrupt = nullptr;  // set from outside to end the solve early
};

/// Calls visit(name, field, help) for every option: the one place where their names are spelled.
template <class Visitor>
void visitOptions(ExactOptions& options, Visitor&& visit) {
  visit("tolerance", options.tolerance, "relative certificate to reach");
  visit("max_factorizations", options.max_factorizations,
        "matrix factorizations at most, per island");
  visit("max_seconds", options.max_seconds, "wall time at most [s]");
  visit("polish_blocks", options.polish_blocks,
        "islands of up to this many blocks are polished to the rounding floor");
  visit("friction_model", options.friction_model, "coulomb (exact) or convex (for comparison)");
  visit("system_form", options.system_form, "systems to factor: automatic, velocity or delassus");
}

class ExactSolver {
 public:
  /// Throws std::invalid_argument when an option is out of range.
  explicit ExactSolver(const ExactOptions& options = {});
  ~ExactSolver();
  ExactSolver(ExactSolver&&) noexcept;
  ExactSolver& operator=(ExactSolver&&) noexcept;

  /// Wall time allowed for each of the next solves [s]; std::invalid_argument unless ≥ 0.
  void setTimeLimit(double max_seconds);

  /// All laws; the convex friction model only with finite μ.
  bool supports(const ConstraintRows& rows) const;

  /// Solves, warm-started from `solution.lambda`. The problem must be valid; a warm start of the
  /// wrong size, or one that is not finite, throws std::invalid_argument. Returns the status, which
  /// also stands in the solution; `solution.stages` says what was tried.
  SolveStatus solve(const ContactProblem& problem, Solution& solution);
  SolveStatus solve(const DelassusProblem& problem, Solution& solution);

 private:
  class Controller;
  class Reduction;

  bool mayGoOn(const Solution& solution) const;
  bool finish(const ContactProblem& problem, Solution& solution);
  SolveStatus goOn(const ContactProblem& problem, Solution& solution);

  std::unique_ptr<Controller> controller_;
  std::unique_ptr<Reduction> reduction_;  // made when it is needed, as is the next
  std::unique_ptr<exact::ActingRows> acting_rows_;
};

}  // namespace cornet
