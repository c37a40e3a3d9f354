#pragma once

#include <string_view>
#include <vector>

/// A control over time: straight lines between given values, or each held until the next. Before the first and after the last time it
/// is the value there. A step takes its mean over the step, which is exact for both kinds.
namespace cornet {

struct ControlSchedule {
  std::vector<double> times;   // [s], ascending
  std::vector<double> values;
  bool is_held = false;
};

/// Mean from t to t + dt, dt > 0.
double calcMean(const ControlSchedule& schedule, double t, double dt);

/// Throws std::invalid_argument beginning with `name` when a number is impossible.
void validate(const ControlSchedule& schedule, std::string_view name);

}  // namespace cornet
