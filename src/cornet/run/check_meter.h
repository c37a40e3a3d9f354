#pragma once

#include "cornet/io/scene/check.h"

/// Compares what a run does with what its scene claims.
namespace cornet {

struct CheckResult {
  double value = std::numeric_limits<double>::quiet_NaN();  // NaN: never measured
  double expected = 0.0;   // the bound that is nearest to being broken, when there are bounds
  double error = 0.0;      // |value - expected|; of bounds: by how much it is broken
  double tolerance = 0.0;
  bool passed = false;
};

/// Takes the values of a probe along a run.
class CheckMeter {
 public:
  /// `step_ratio` is the step of the run over the scene's own.
  CheckMeter(const Check& check, Variables variables, double step_ratio = 1.0);
  /// NaN is no value.
  void add(double time, double value);
  CheckResult calcResult() const;

 private:
  double expectedAt(double time);
  CheckResult compare(double value, double expected) const;
  CheckResult compareBounds(double value) const;

  Check check_;
  Variables variables_;
  double tolerance_scale_ = 1.0;
  int count_ = 0;
  double last_ = 0.0, sum_ = 0.0, square_sum_ = 0.0;
  double max_ = -std::numeric_limits<double>::infinity();
  double min_ = std::numeric_limits<double>::infinity();
  double last_expected_ = 0.0;
  CheckResult worst_;
};

}  // namespace cornet
