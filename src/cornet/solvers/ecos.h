#pragma once

#include <atomic>
#include <limits>
#include <string>

#include "cornet/problem/solution.h"

/// Front of the conic solver ECOS. ECOS is under the GPL-3 and stands in a library of its own,
/// `cornet::ecos`; the core knows it through one interface that `useEcos()` of that library sets.
/// Without it every solve ends with the status unsupported and a report that says how to get it.
///
///   min ½‖v - v_free‖²_M  subject to  J v + b + μ‖u_t‖e_n in K_μ*                       (ECOS-1)
///
/// is a conic program once the shift μ‖u_t‖ is held fixed. The convex model drops the shift: one
/// conic solve, and further ones about its result while they improve it. Exact Coulomb repeats the
/// solve with the shift of the last one until the certificate meets the tolerance. Whatever ECOS
/// says of its result, the certificate decides the status.
///
/// Formulation, scaling, acceleration: docs/math/ecos.md.
namespace cornet {

struct EcosOptions {
  double tolerance = 1e-8;          // of the certificate, which decides the status
  double abs_tol = 1e-12;           // of ECOS itself: feasibility and absolute gap,
  double rel_tol = 1e-12;           // relative gap; tightened while the certificate asks for more
  int max_iterations = 100;         // interior-point iterations of one conic solve
  int max_sweeps = 200;             // conic solves
  double max_seconds = std::numeric_limits<double>::infinity();  // looked at between conic solves
  FrictionModel friction_model = FrictionModel::coulomb;
  const std::atomic<bool>* interrupt = nullptr;  // set from outside to end the solve early
  bool throw_on_failure = false;    // for development: std::runtime_error instead of a status
};

/// Calls visit(name, field, help) for every option: the one place where their names are spelled.
template <class Visitor>
void visitOptions(EcosOptions& options, Visitor&& visit) {
  visit("tolerance", options.tolerance, "relative certificate to reach");
  visit("abs_tol", options.abs_tol, "feasibility and absolute gap of one conic solve in ECOS");
  visit("rel_tol", options.rel_tol, "relative gap of one conic solve in ECOS");
  visit("max_iterations", options.max_iterations, "iterations of one conic solve at most");
  visit("max_sweeps", options.max_sweeps, "conic solves at most");
  visit("max_seconds", options.max_seconds, "wall time at most [s]");
  visit("friction_model", options.friction_model, "coulomb (exact) or convex (for comparison)");
}

/// What ECOS itself said, of the last conic solve.
struct EcosReport {
  int exit_flag = 0;             // 0 optimal, 1 and 2 infeasible, 10 .. 12 the same less accurately,
                                 // -1 iterations, -2 numerics, -3 outside the cone, -4, -7
  double primal_residual = 0.0;
  double dual_residual = 0.0;
  double gap = 0.0;
  int conic_solves = 0;
  int last_iterations = 0;       // of the last conic solve; solution.iterations is the sum
  bool certificate_disagrees = false;  // ECOS: optimal; the certificate: not to its tolerance
  std::string message;           // empty when all went well; otherwise a sentence to log
};

/// What `cornet::ecos` implements.
class EcosBackend {
 public:
  virtual ~EcosBackend() = default;
  virtual SolveStatus solve(const ContactProblem& problem, const EcosOptions& options,
                            Solution& solution, EcosReport& report) const = 0;
  virtual SolveStatus solve(const DelassusProblem& problem, const EcosOptions& options,
                            Solution& solution, EcosReport& report) const = 0;
};

/// Called once at start-up by `useEcos()`. The backend must outlive all solves.
void setEcosBackend(const EcosBackend* backend);
/// The backend, nullptr when this program has none.
const EcosBackend* ecosBackend();
/// How to get it, for messages.
std::string ecosMissingText();

class EcosSolver {
 public:
  /// Throws std::invalid_argument when an option is out of range.
  explicit EcosSolver(const EcosOptions& options = {});

  /// All laws, friction with finite μ. False for everything when there is no backend.
  bool supports(const ConstraintRows& rows) const;

  /// Solves; solution.lambda is a start for the shift only. The certificate decides the status.
  SolveStatus solve(const ContactProblem& problem, Solution& solution,
                    EcosReport* report = nullptr) const;
  SolveStatus solve(const DelassusProblem& problem, Solution& solution,
                    EcosReport* report = nullptr) const;

 private:
  EcosOptions options_;
};

}  // namespace cornet
