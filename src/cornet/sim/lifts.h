#pragma once

#include <cmath>

#include <span>
#include <vector>

#include "cornet/sim/island_problem.h"

/// At what rate ℓ/h the gap of a contact is to change at least: an open one may close, ℓ = -g; overlaps are lifted by the share β, but no
/// further than half of what the certificate leaves unexplained,
///
///   ℓ = min(β|g|, ½ r bound), r the smaller radius;   in one of n parts of a step:  β := 1 - (1 - β)^(1/n), and an nth of ½ r bound
///
/// and, unless they are deep, g < -0.005 r, no further than there is energy for. To lift what rests puts energy in; a body rests if its
/// speed at the start or the end is below 0.01 h |f|/m. There δ, what is left of the overlap that a contact was found with,
/// δ := min(δ, -g) less what lifts it, is taken back as fast, what steps left, g > -0.05 a h², slowly, a the larger acceleration
/// |f|/m of the two. Others share what the step loses otherwise, and a little,
///
///   at rest   ℓ := max(min(β δ, ½ r bound), min(ℓ, 2·10⁻⁵ a h²)), deeper ones max(.., s ℓ);
///   otherwise   ℓ := s ℓ,  s ≤ 1 the largest with
///   -h f·(w' - w) ≤ max(0, -dE) + (T + Σ|f| r)/256 times the bound on gains, of each body and of all    (PLACE-4)
namespace cornet {

/// β of what is taken back in a part of a step, such that all parts together take back β.
inline double calcRecovery(double recovery, double part) { return part < 1.0 ? 1.0 - std::pow(1.0 - recovery, part) : recovery; }

class Lifts {
 public:
  explicit Lifts(const SimulatorOptions& options);

  /// Finds bodies that end the step at rest, with velocities v⁺, or begin it so.
  void begin(const StepView& step, const Island& island, const VectorXd& v_plus);
  /// ℓ/h, with s = `share`.
  double calcRate(const StepView& step, const Island& island, const StepContact& contact, double share) const;
  /// What forces take back from bodies that move by this more, of all of them and of each, over what there is for it.
  double calcExpense(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& move,
                     std::span<const double> losses) const;

 private:
  bool rests(const StepView& step, int body) const;

  double recovery_, most_, gain_;
  std::vector<bool> resting_;  // bodies of the island
};

}  // namespace cornet
