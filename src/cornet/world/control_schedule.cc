#include "cornet/world/control_schedule.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

// In the piece that ends at knot `next`; 0 and beyond the last: before and after all.
double calcValue(const ControlSchedule& schedule, std::size_t next, double t) {
  if (next == 0) return schedule.values.front();
  if (next == schedule.times.size() || schedule.is_held) return schedule.values[next - 1];
  const double t0 = schedule.times[next - 1], t1 = schedule.times[next];
  const double v0 = schedule.values[next - 1], v1 = schedule.values[next];
  return v0 + (t - t0) / (t1 - t0) * (v1 - v0);
}

}  // namespace

double calcMean(const ControlSchedule& schedule, double t, double dt) {
  const double end = t + dt;
  auto next = static_cast<std::size_t>(std::ranges::upper_bound(schedule.times, t) - schedule.times.begin());
  const auto endOf = [&](std::size_t piece) { return piece < schedule.times.size() ? std::min(schedule.times[piece], end) : end; };
  const double first = calcValue(schedule, next, 0.5 * (t + endOf(next)));
  // From the first piece on, so that what does not change keeps its bits.
  double mean = first;
  for (double from = endOf(next); from < end;) {
    const double to = endOf(++next);
    mean += (to - from) / dt * (calcValue(schedule, next, 0.5 * (from + to)) - first);
    from = to;
  }
  return mean;
}

void validate(const ControlSchedule& schedule, std::string_view name) {
  const auto refuse = [name](const std::string& fault) { throw std::invalid_argument(fmt::format("{}: {}", name, fault)); };
  if (schedule.times.empty() || schedule.times.size() != schedule.values.size()) {
    refuse(fmt::format("{} times and {} values: expected one value for each time, and at least one", schedule.times.size(), schedule.values.size()));
  }
  for (std::size_t k = 0; k < schedule.times.size(); ++k) {
    if (!std::isfinite(schedule.times[k]) || (k > 0 && !(schedule.times[k] > schedule.times[k - 1]))) {
      refuse(fmt::format("time {} is {} s: expected finite, ascending times", k + 1, schedule.times[k]));
    }
    if (!std::isfinite(schedule.values[k])) refuse(fmt::format("value {} at {} s: expected a finite number", schedule.values[k], schedule.times[k]));
  }
}

}  // namespace cornet
