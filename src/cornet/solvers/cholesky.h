#pragma once

#include "cornet/problem/solution.h"

/// Direct solver for equality laws: joints and other bilateral rows, redundant ones included.
///
///   A λ + q = 0,   A = J M⁻¹Jᵀ + R, scaled to a unit diagonal, positive semidefinite            (CHOL-1)
///   (A + δ I) Δ = -(A λ + q),   λ <- λ + Δ                                                      (CHOL-2)
///
/// The proximal term δ = 1e-11 makes the factor exist when rows depend on each other; the steps take
/// its effect out again: what can be satisfied converges by a factor δ/(δ + σ) per step, σ being an
/// eigenvalue, usually in one or two, in hundreds for rods that are almost stretched. One factorization: dense for small systems, block-sparse with a
/// fill-reducing order for large ones (BlockLdu). Rows that contradict each other end as infeasible.
namespace cornet {

struct CholeskyOptions {
  double tolerance = 1e-8;   // of the certificate, which decides the status
  int max_iterations = 1000; // steps of (CHOL-2), each one solve with the same factors
};

/// Calls visit(name, field, help) for every option: the one place where their names are spelled.
template <class Visitor>
void visitOptions(CholeskyOptions& options, Visitor&& visit) {
  visit("tolerance", options.tolerance, "relative certificate to reach");
  visit("max_iterations", options.max_iterations, "steps of refinement at most");
}

class CholeskySolver {
 public:
  /// Throws std::invalid_argument when an option is out of range.
  explicit CholeskySolver(const CholeskyOptions& options = {});

  /// Equality laws only.
  bool supports(const ConstraintRows& rows) const;

  /// Solves, warm-started from `solution.lambda`, and goes on to the rounding floor. The certificate
  /// of the result decides the status.
  SolveStatus solve(const ContactProblem& problem, Solution& solution) const;
  SolveStatus solve(const DelassusProblem& problem, Solution& solution) const;

 private:
  CholeskyOptions options_;
};

}  // namespace cornet
