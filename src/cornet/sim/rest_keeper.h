#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cornet/math/block_ldu.h"
#include "cornet/problem/contact_problem.h"
#include "cornet/problem/solution.h"

/// Keeps what rests from creeping. Impulses of a resting island are carried on from step to step; what they
/// miss adds up to a velocity. With all rows of the contacts that carry held still, u = 0, they are corrected by
///
///   (M + JᵀD⁻¹J) Δv = -JᵀD⁻¹u,   Δλ = -D⁻¹(u + J Δv),   D = 10⁻³ diag(J M⁻¹Jᵀ),                 (STEP-14)
///
/// u being computed from λ afresh each time, until rounding stops it: errors of 1e-16 m/s instead of 1e-13.
/// Factors are kept as long as the contacts of the island are the same and old ones still do.
namespace cornet {

class RestKeeper {
 public:
  /// Corrects a solution whose contacts `held` stick. `name` tells islands apart. Returns how many
  /// factorizations it took.
  int correct(const ContactProblem& problem, const std::vector<bool>& held, std::uint64_t name,
              Solution& solution);

 private:
  struct Factors {
    std::uint64_t name = 0;
    std::unique_ptr<LduStructure> structure;
    BlockLdu ldu;
    VectorXd stiffness;       // 1/D, 0 for rows that are not held
    std::uint64_t last_used = 0;
  };
  Factors& find(std::uint64_t name, bool& known);
  void factor(const ContactProblem& problem, const std::vector<bool>& held, Factors& factors) const;
  double refine(const ContactProblem& problem, const std::vector<bool>& held, const Factors& factors,
                Solution& solution);

  std::vector<Factors> factors_;
  std::uint64_t clock_ = 0;
  Certifier certifier_;
  VectorXd best_, scaled_, change_, J_change_;
};

}  // namespace cornet
