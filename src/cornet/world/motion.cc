#include "cornet/world/motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

InertialState at(const Rest&, const InertialState& start, double) { return start; }

InertialState at(const SteadyMotion& motion, const InertialState& start, double t) {
  InertialState state = start;
  state.position += t * motion.velocity;
  state.orientation = (expMap(t * motion.omega) * start.orientation).normalized();
  state.velocity = motion.velocity;
  state.omega = motion.omega;
  return state;
}

InertialState at(const Oscillation& motion, const InertialState& start, double t) {
  const double rate = 2.0 * std::numbers::pi * motion.frequency;
  InertialState state = start;
  state.position += (std::sin(rate * t + motion.phase) - std::sin(motion.phase)) * motion.amplitude;
  state.velocity = rate * std::cos(rate * t + motion.phase) * motion.amplitude;
  return state;
}

InertialState at(const Path& path, const InertialState& start, double t) {
  InertialState state = start;
  const auto next = std::ranges::upper_bound(path.times, t) - path.times.begin();
  const auto last = static_cast<std::ptrdiff_t>(path.times.size()) - 1;
  if (next == 0 || next > last) {
    state.position += next == 0 ? path.displacements.front() : path.displacements.back();
    return state;
  }
  const double t0 = path.times[next - 1];
  const double t1 = path.times[next];
  state.velocity = (path.displacements[next] - path.displacements[next - 1]) / (t1 - t0);
  state.position += path.displacements[next - 1] + (t - t0) * state.velocity;
  return state;
}

InertialState at(const Guided&, const InertialState& start, double) { return start; }

InertialState at(const FreeMotion& motion, const InertialState&, double t) { return motion.state(t); }

[[noreturn]] void refuse(std::string_view name, const std::string& fault) {
  throw std::invalid_argument(fmt::format("{}: {}", name, fault));
}

}  // namespace

InertialState calcMotion(const Motion& motion, const Vector3d& p, const Quaterniond& q, double t) {
  InertialState start;
  start.position = p;
  start.orientation = q;
  return std::visit([&](const auto& kind) { return at(kind, start, t); }, motion);
}

InertialState moveSteadily(const InertialState& start, double t) {
  InertialState state = start;
  state.position += t * start.velocity;
  if (!start.omega.isZero(0.0)) state.orientation = (expMap(t * start.omega) * start.orientation).normalized();
  return state;
}

bool isAtRest(const Motion& motion) { return std::holds_alternative<Rest>(motion); }

void validate(const Motion& motion, std::string_view name) {
  if (const auto* steady = std::get_if<SteadyMotion>(&motion)) {
    if (!steady->velocity.allFinite() || !steady->omega.allFinite()) {
      refuse(name, "its velocity is not finite");
    }
  } else if (const auto* oscillation = std::get_if<Oscillation>(&motion)) {
    if (!oscillation->amplitude.allFinite() || !std::isfinite(oscillation->phase) ||
        !(oscillation->frequency >= 0.0 && std::isfinite(oscillation->frequency))) {
      refuse(name, fmt::format("oscillation with frequency {} Hz: expected finite numbers, frequency ≥ 0",
                               oscillation->frequency));
    }
  } else if (const auto* path = std::get_if<Path>(&motion)) {
    if (path->times.empty() || path->times.size() != path->displacements.size()) {
      refuse(name, fmt::format("path with {} times and {} displacements: expected one of each for every "
                               "knot, and at least one",
                               path->times.size(), path->displacements.size()));
    }
    for (std::size_t k = 0; k < path->times.size(); ++k) {
      if (!std::isfinite(path->times[k]) || !path->displacements[k].allFinite() ||
          (k > 0 && !(path->times[k] > path->times[k - 1]))) {
        refuse(name, fmt::format("path, knot {}: times must be finite and ascending, displacements "
                                 "finite",
                                 k));
      }
    }
  } else if (const auto* free = std::get_if<FreeMotion>(&motion)) {
    if (!free->state) refuse(name, "its motion is an empty function");
  }
}

}  // namespace cornet
