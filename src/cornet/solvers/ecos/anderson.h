#pragma once

#include <vector>

#include "cornet/math/types.h"

namespace cornet {

/// Anderson's acceleration of a fixed-point iteration x <- g(x) for x ≥ 0: the next x is the
/// combination of the last values of g whose residuals g(x) - x cancel best,
///
///   x⁺ = max(0, g_k - Σ γ_j (g_j+1 - g_j))                                                (ECOS-5)
///   γ = argmin ‖f_k - Σ γ_j (f_j+1 - f_j)‖,   f = g - x                             [anderson1965]
class Anderson {
 public:
  explicit Anderson(int depth) : depth_(depth) {}

  /// The next x, after g = g(x) has been found.
  VectorXd next(const VectorXd& x, const VectorXd& g);
  /// Forgets what came before: the next step is a plain one.
  void restart();

 private:
  int depth_;
  std::vector<VectorXd> g_changes_, f_changes_;
  VectorXd last_g_, last_f_;
};

}  // namespace cornet
