#pragma once

#include <cmath>
#include <limits>

namespace cornet {

/// How steps of varying size are chosen (ErrorControlledIntegrator, docs/math/error_control.md).
struct ErrorControl {
  double accuracy = std::numeric_limits<double>::infinity();  // [m] of a step, in the norm (ERR-2)
  double max_step = 0.1;       // [s]
  double min_step = 1e-6;      // [s] accepted whatever its error is
  double velocity_time = 0.1;  // [s] τ: an error of a velocity counts as its way in this time
  double publish = 0.02;       // [s] a run has a step that ends at every multiple; 0: none but the last

  bool isOn() const { return !std::isinf(accuracy); }
};

}  // namespace cornet
