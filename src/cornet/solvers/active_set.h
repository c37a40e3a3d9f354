#pragma once

#include <atomic>
#include <cstdint>

#include "cornet/problem/solution.h"

/// Active-set method for rows with bounds: equality, unilateral and box laws, exact up to rounding.
///
///   u = A λ + q,   lower ≤ λ ≤ upper;   u = 0 between the bounds, u ≥ 0 at lower, u ≤ 0 at upper
///   A = J M⁻¹Jᵀ + R, positive semidefinite: the minimum of ½ λᵀAλ + q·λ over the box.         (ACT-1)
///
/// A working set F of rows between their bounds is kept such that A_FF is regular. The row j whose law
/// is violated most enters (after a degenerate step the one with the smallest index, so that it
/// cannot cycle):
///
///   d_F = -A_FF⁻¹ A_Fj d_j,   s = A_jj - A_jF A_FF⁻¹ A_Fj ≥ 0                                   (ACT-2)
///   s > 0: step -u_j/s along d makes u_j = 0, unless a row of F or j meets a bound first and leaves;
///   s = 0: A d = 0, the step goes on until a bound is met. If there is none no velocity satisfies
///   the laws: infeasible, d is the ray.                                                        (ACT-3)
///
/// Redundant rows (hyperstatic contacts, twice the same joint) are therefore no special case. Every
/// step lowers the objective or is degenerate; the number of steps is finite and has no cap but
/// `max_iterations`. Dense: for up to some hundred rows between their bounds.
namespace cornet {

/// What stands in for the friction cone, as this solver knows no cones: the models compared in
/// docs/math/cone_models.md. All but `none` change the friction law.
enum class ConeApproximation : std::uint8_t { none, pyramid, box, scaled_box, polygon };

struct ActiveSetOptions {
  double tolerance = 1e-8;          // of the certificate, which decides the status
  int max_iterations = 1'000'000;
  ConeApproximation cone_approximation = ConeApproximation::none;
  int faces = 8;                    // corners of the polygon, even
  int max_sweeps = 200;             // solves with updated friction bounds
  const std::atomic<bool>* interrupt = nullptr;
};

/// Calls visit(name, field, help) for every option: the one place where their names are spelled.
template <class Visitor>
void visitOptions(ActiveSetOptions& options, Visitor&& visit) {
  visit("tolerance", options.tolerance, "relative certificate to reach");
  visit("max_iterations", options.max_iterations, "changes of the working set at most");
  visit("cone_approximation", options.cone_approximation,
        "friction of active_set: none, pyramid, box, scaled_box or polygon");
  visit("faces", options.faces, "corners of the friction polygon, even");
  visit("max_sweeps", options.max_sweeps, "solves with updated friction bounds or shift at most");
}

class ActiveSet {
 public:
  /// Throws std::invalid_argument when an option is out of range.
  explicit ActiveSet(const ActiveSetOptions& options = {});

  /// Equality, unilateral and box laws, and cones without friction; with a cone approximation cones
  /// with finite friction too.
  bool supports(const ConstraintRows& rows) const;

  /// Solves, warm-started from `solution.lambda`: rows between their bounds there begin in the
  /// working set. The certificate of the result decides the status; with a cone approximation it is
  /// that of the approximate law, and a loop on the friction bounds that does not converge ends as
  /// inaccurate or max_iterations.
  SolveStatus solve(const ContactProblem& problem, Solution& solution) const;
  SolveStatus solve(const DelassusProblem& problem, Solution& solution) const;

 private:
  ActiveSetOptions options_;
};

}  // namespace cornet
