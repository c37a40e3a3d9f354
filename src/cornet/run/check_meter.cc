#include "cornet/run/check_meter.h"

#include <algorithm>
#include <cmath>

namespace cornet {

CheckMeter::CheckMeter(const Check& check, Variables variables, double step_ratio)
    : check_(check), variables_(std::move(variables)), tolerance_scale_(std::pow(step_ratio, check.order)) {}

CheckResult CheckMeter::compare(double value, double expected) const {
  CheckResult result;
  result.value = value;
  result.expected = expected;
  result.error = std::abs(value - expected);
  result.tolerance = tolerance_scale_ * std::max(check_.tolerance, check_.relative_tolerance * std::abs(expected));
  result.passed = result.error <= result.tolerance;  // false for NaN
  return result;
}

double CheckMeter::expectedAt(double time) {
  if (!check_.expected) return 0.0;
  variables_["t"] = time;
  return check_.expected->evaluate(variables_);
}

void CheckMeter::add(double time, double value) {
  if (std::isnan(value) || time < check_.from || time > check_.until) return;
  ++count_;
  last_ = value;
  last_expected_ = expectedAt(time);
  sum_ += value;
  square_sum_ += (value - last_expected_) * (value - last_expected_);
  max_ = std::max(max_, value);
  min_ = std::min(min_, value);
  if (check_.statistic != Statistic::every) return;
  const CheckResult now = check_.expected ? compare(value, last_expected_) : compareBounds(value);
  if (count_ == 1 || now.error - now.tolerance > worst_.error - worst_.tolerance) worst_ = now;
}

CheckResult CheckMeter::compareBounds(double value) const {
  CheckResult result;
  result.value = value;
  const double over = check_.at_most ? value - *check_.at_most : -std::numeric_limits<double>::infinity();
  const double under = check_.at_least ? *check_.at_least - value : -std::numeric_limits<double>::infinity();
  result.expected = over >= under ? check_.at_most.value_or(0.0) : check_.at_least.value_or(0.0);
  result.error = std::max({over, under, 0.0});
  result.passed = over <= 0.0 && under <= 0.0;  // false for NaN
  return result;
}

CheckResult CheckMeter::calcResult() const {
  if (count_ == 0) return {};
  double value = last_;
  switch (check_.statistic) {
    case Statistic::final: break;
    case Statistic::max: value = max_; break;
    case Statistic::min: value = min_; break;
    case Statistic::mean: value = sum_ / count_; break;
    case Statistic::every: return worst_;
    case Statistic::mean_square:
      value = square_sum_ / count_;
      return check_.expected ? compare(value, 0.0) : compareBounds(value);
  }
  return check_.expected ? compare(value, last_expected_) : compareBounds(value);
}

}  // namespace cornet
