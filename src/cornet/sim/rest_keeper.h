#pragma once

#include <memory>
#include <vector>

#include "cornet/math/block_ldu.h"
#include "cornet/problem/contact_problem.h"
#include "cornet/problem/solution.h"

/// Keeps what rests from creeping. Impulses of a resting island are carried on from step to step; what they
/// miss adds up to a velocity. With all rows of the contacts that carry held still, u = 0, they are corrected by
///
///   (M + JᵀD⁻¹J) Δv = -JᵀD⁻¹u,   Δλ = -D⁻¹(u + J Δv),   D = 10⁻⁶ diag(J M⁻¹Jᵀ),                 (STEP-14)
///
/// u being computed from λ afresh each time, until rounding stops it: errors of 1e-16 m/s instead of 1e-13, so
/// that hundreds of steps pass before the next correction. It depends on nothing but the problem and λ.
namespace cornet {

class RestKeeper {
 public:
  /// Corrects a solution whose contacts `held` stick; one factorization.
  void correct(const ContactProblem& problem, const std::vector<bool>& held, Solution& solution);
  /// Impulses for the next step, which begins with these free velocities and needs none to stop what moved
  /// in this one; with the factors of the last correction. `problem` is put back as it was.
  void predict(const VectorXd& v_free, const std::vector<bool>& held, ContactProblem& problem,
               VectorXd& lambda);

 private:
  void factor(const ContactProblem& problem, const std::vector<bool>& held);
  void refine(const ContactProblem& problem, const std::vector<bool>& held, VectorXd& lambda);

  std::unique_ptr<LduStructure> structure_;
  std::vector<std::pair<int, int>> pairs_, known_pairs_;
  std::vector<int> sizes_, known_sizes_;
  BlockLdu ldu_;
  VectorXd stiffness_;  // 1/D, 0 for rows that are not held
  Certifier certifier_;
  VectorXd best_, scaled_, change_, J_change_, v_free_;
};

}  // namespace cornet
