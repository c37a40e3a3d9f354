#pragma once

#include "cornet/math/types.h"

namespace cornet::exact {

/// Scores iterates; the exact solver keeps the best one behind it.
class Judge {
 public:
  virtual ~Judge() = default;
  /// Relative error of scaled impulses, to be compared with a tolerance.
  virtual double calcError(const VectorXd& r) = 0;
  /// Whether to end early: out of time, or interrupted.
  virtual bool mustEnd() const = 0;
};

}  // namespace cornet::exact
