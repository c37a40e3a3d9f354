#include "cornet/body/inertial_state.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

VelocityMap calcVelocityMap(const Quaterniond& q) {
  VelocityMap N = VelocityMap::Zero();
  N.topLeftCorner<3, 3>().setIdentity();
  // Columns of ½ L(q): ½ e_k ⊗ q.
  N.bottomRightCorner<4, 3>() << -q.x(), -q.y(), -q.z(),
                                  q.w(),  q.z(), -q.y(),
                                 -q.z(),  q.w(),  q.x(),
                                  q.y(), -q.x(),  q.w();
  N.bottomRightCorner<4, 3>() *= 0.5;
  return N;
}

InertialState advance(const InertialState& state, double dt) {
  InertialState next = state;
  next.position += dt * state.velocity;
  next.orientation = (expMap(dt * state.omega) * state.orientation).normalized();
  return next;
}

void validate(const InertialState& state, std::string_view name) {
  const auto require_finite = [name](const Vector3d& value, const char* field) {
    if (value.allFinite()) return;
    throw std::invalid_argument(fmt::format("{}: {} = ({}, {}, {}): expected finite numbers", name,
                                            field, value.x(), value.y(), value.z()));
  };
  require_finite(state.position, "position");
  require_finite(state.velocity, "velocity");
  require_finite(state.omega, "omega");
  constexpr double kUnit = 1e-6;  // beyond this it is a mistake, not rounding
  const double norm = state.orientation.norm();
  if (!(std::abs(norm - 1.0) <= kUnit)) {
    throw std::invalid_argument(fmt::format(
        "{}: orientation has the length {}: expected a unit quaternion; call normalize()", name,
        norm));
  }
}

}  // namespace cornet
