#include "cornet/sim/step_size.h"

#include <algorithm>

namespace cornet {
namespace {

constexpr double kSafety = 0.9;     // of the step with ε = 1: steps settle at ε = 0.81
constexpr double kTrendSafety = 0.97;  // 0.81^(0.35 - 0.2), the same of (ERR-4)
constexpr double kStretch = 1.001;  // of a step that all but reaches the end
constexpr double kUncut = 0.95;     // of the wanted step, and it counts as this one
constexpr double kLeastFactor = 0.1, kMostFactor = 5.0, kMostAfterRejection = 0.9;
constexpr double kLeastBefore = 1e-3;  // errors below say nothing about the trend

double limit(const ErrorControl& control, double h) { return std::clamp(h, control.min_step, control.max_step); }

}  // namespace

StepChoice chooseStep(const ErrorControl& control, double rest, double wanted) {
  const double h = limit(control, wanted);
  StepChoice choice;
  choice.lands = rest <= kStretch * h;
  choice.h = choice.lands ? rest : rest < 2.0 * h ? std::max(0.5 * rest, control.min_step) : h;
  choice.is_cut = choice.h < kUncut * h;
  return choice;
}

void learnAccepted(const ErrorControl& control, const StepChoice& taken, double error, StepControlMemory& memory) {
  const double now = error / control.accuracy;
  const double before = std::max(memory.error, kLeastBefore);
  const double trend = std::isfinite(now) ? kTrendSafety * std::pow(now, -0.35) * std::pow(before, 0.2) : kLeastFactor;
  const double next = limit(control, taken.h * std::clamp(trend, kLeastFactor, kMostFactor));
  if (taken.is_cut && next <= memory.wanted) return;
  memory.wanted = next;
  memory.error = std::isfinite(now) ? now : 1.0;
}

double shrink(const ErrorControl& control, double h, double error) {
  const double factor = kSafety * std::sqrt(control.accuracy / error);
  return limit(control, h * (std::isfinite(error) ? std::clamp(factor, kLeastFactor, kMostAfterRejection) : kLeastFactor));
}

}  // namespace cornet
