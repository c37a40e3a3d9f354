#pragma once

#include <vector>

#include "cornet/problem/contact_problem.h"
#include "cornet/problem/solution.h"
#include "cornet/sim/held_factor.h"

/// Keeps what rests from creeping. Impulses of a resting island are carried on from step to step; what they
/// miss adds up to a velocity. With all rows of the contacts that carry held still, u = 0, they are corrected by
///
///   (M + JᵀD⁻¹J) Δv = -JᵀD⁻¹u,   Δλ = -D⁻¹(u + J Δv),   D = 10⁻⁶ diag(J M⁻¹Jᵀ),                 (STEP-14)
///
/// u being computed from λ afresh each time, until rounding stops it: errors of 1e-16 m/s instead of 1e-13, so
/// that many steps pass before the next correction. The matrix is made of J and M rounded to some 1e-10: refinement
/// forgives that, and what rests has the same rounded rows in every step, whose factors are kept. As equal factors
/// come from equal rounded rows, the result still depends on nothing but the problem and λ.
namespace cornet {

class RestKeeper {
 public:
  RestKeeper();

  /// Corrects a solution whose contacts `held` stick; with one factorization unless the last one serves, counted.
  void correct(const ContactProblem& problem, const std::vector<bool>& held, Solution& solution);
  /// Impulses for the next step, which begins with these free velocities and needs none to stop what moved
  /// in this one; after `correct` for this problem. `problem` is put back as it was.
  void predict(const VectorXd& v_free, const std::vector<bool>& held, ContactProblem& problem,
               VectorXd& lambda);

 private:
  void collectRows(const ContactProblem& problem, const std::vector<bool>& held);
  void roundMasses(const BlockDiagonalMatrix& M);
  bool factor(const ContactProblem& problem, const std::vector<bool>& held);
  void refine(const ContactProblem& problem, const std::vector<bool>& held, VectorXd& lambda);

  HeldFactor factor_;
  BlockDiagonalMatrix M_, known_M_;           // rounded
  HeldRowList rows_, known_rows_;    // rounded
  VectorXd stiffness_;  // 1/D, 0 for rows that are not held
  Certifier certifier_;
  VectorXd best_, scaled_, change_, J_change_, v_free_;
};

}  // namespace cornet
