#include "cornet/sim/error_norm.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

void requireScale(double scale, const std::string& of) {
  if (scale >= 0.0 && std::isfinite(scale)) return;
  throw std::invalid_argument(fmt::format("scale of errors of {} = {}: expected a finite number ≥ 0", of, scale));
}

void requireCount(std::size_t count, std::size_t expected, const char* of) {
  if (count == 0 || count == expected) return;
  throw std::invalid_argument(fmt::format("{} scales of errors of {}: expected {}, or none", count, of, expected));
}

// The larger; what is not a number is the largest.
void keepWorst(double error, double& worst) {
  if (!(error <= worst) && !std::isnan(worst)) worst = error;
}

}  // namespace

ErrorNorm::ErrorNorm(const WorldModel& world, double velocity_time, ErrorScales scales)
    : world_(world), velocity_time_(velocity_time), scales_(std::move(scales)) {
  requireCount(scales_.bodies.size(), static_cast<std::size_t>(world.bodyCount()), "bodies");
  for (std::size_t i = 0; i < scales_.bodies.size(); ++i) {
    requireScale(scales_.bodies[i], fmt::format("body '{}'", world.nameOf(static_cast<int>(i))));
  }
  for (Eigen::Index k = 0; k < scales_.user.size(); ++k) requireScale(scales_.user[k], fmt::format("user's state {}", k));
}

double ErrorNorm::calc(const BodyStates& full, const VectorXd& full_user, const BodyStates& halves,
                       const VectorXd& halves_user) const {
  requireCount(static_cast<std::size_t>(scales_.user.size()), static_cast<std::size_t>(full_user.size()), "users' states");
  double worst = 0.0;
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const InertialState& f = full.bodies[static_cast<std::size_t>(i)];
    const InertialState& h = halves.bodies[static_cast<std::size_t>(i)];
    const double r = world_.body(i).size();
    const double way = (f.position - h.position).norm() + r * logMap(f.orientation * h.orientation.conjugate()).norm();
    const double rate = (f.velocity - h.velocity).norm() + r * (f.omega - h.omega).norm();
    const double scale = scales_.bodies.empty() ? 1.0 : scales_.bodies[static_cast<std::size_t>(i)];
    keepWorst(scale == 0.0 ? 0.0 : scale * (way + velocity_time_ * rate), worst);
  }
  for (Eigen::Index k = 0; k < full_user.size(); ++k) {
    const double scale = scales_.user.size() == 0 ? 1.0 : scales_.user[k];
    keepWorst(scale == 0.0 ? 0.0 : scale * std::abs(full_user[k] - halves_user[k]), worst);
  }
  return worst;
}

}  // namespace cornet
