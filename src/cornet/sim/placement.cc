#include "cornet/sim/placement.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "cornet/math/rotation.h"
#include "cornet/sim/reach.h"
#include "cornet/sim/step_try.h"

namespace cornet {

bool Placement::isSameAs(const Placement& other) const {
  const auto isSame = [](const auto& a, const auto& b) {
    if (a.size() != b.size()) return false;
    return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
  };
  return isSame(margins, other.margins) && isSame(poses, other.poses);
}

void placeSurroundings(const WorldModel& world, int k, const BodyStates& at, double dt, StepBody& body) {
  const AssetEnvironment& asset = world.environment(k);
  body = {};
  body.start = world.calcSurroundings(k, at, at.time);
  const InertialState end = isAtRest(asset.motion()) ? body.start : world.calcSurroundings(k, at, at.time + dt);
  if (!isAtRest(asset.motion())) {
    body.displacement = (end.position - body.start.position) / dt;
    body.turning = logMap(end.orientation * body.start.orientation.conjugate()) / dt;
  }
  body.surface = body.start.orientation * asset.surfaceVelocity();
  body.end_surface = end.orientation * asset.surfaceVelocity();
  body.end_velocity = end.velocity;
  body.end_omega = end.omega;
  body.now = body.start;
}

bool SharedStart::serves(const Placement& placement) const {
  return placement_.poses == placement.poses &&
         std::ranges::equal(placement.margins, placement_.margins, std::ranges::less_equal());
}

Placer::Placer(const WorldModel& world, double margin) : world_(world), margin_(margin) {
  for (int k = 0; k < world.environmentCount(); ++k) {
    const AssetEnvironment& asset = world.environment(k);
    surroundings_radius_.push_back(calcRadius(asset));
    const InertialState start = asset.calcState(0.0);
    standing_.push_back({isAtRest(asset.motion()), start.pose(),
                         (start.orientation * asset.surfaceVelocity()).norm()});
  }
}

void Placer::calc(const BodyStates& at, std::span<const BodyForce> forces, double dt, Placement& placement) const {
  placement.poses.resize(static_cast<std::size_t>(world_.totalCount()));
  placement.margins.resize(placement.poses.size());
  const auto marginOf = [&](double speed, double turning, double radius) {
    return 0.5 * margin_ + 2.0 * dt * (speed + radius * turning);
  };
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const AssetInertial& asset = world_.body(i);
    const InertialState& body = at.bodies[i];
    Vector3d omega = body.omega;
    if (!forces[i].torque.isZero(0.0)) omega += dt * asset.inertia().calcOmega(body.orientation, forces[i].torque);
    const Vector3d velocity = body.velocity + dt * Vector3d(forces[i].force / asset.mass().mass);
    placement.poses[i] = body.pose();
    placement.margins[i] = marginOf(velocity.norm(), omega.norm(), asset.radius());
  }
  for (int k = 0; k < world_.environmentCount(); ++k) {
    const int i = world_.environmentBody(k);
    if (standing_[k].stands) {
      placement.poses[i] = standing_[k].pose;
      placement.margins[i] = marginOf(standing_[k].surface_speed, 0.0, 0.0);
      continue;
    }
    StepBody body;
    placeSurroundings(world_, k, at, dt, body);
    placement.poses[i] = body.start.pose();
    placement.margins[i] = marginOf(std::max(body.start.velocity.norm(), body.displacement.norm()) + body.surface.norm(),
                                    std::max(body.start.omega.norm(), body.turning.norm()), surroundings_radius_[k]);
    if (surroundings_radius_[k] == 0.0 && !body.turning.isZero(0.0)) widenForTurningPlane(body, at, dt, placement);
  }
}

// Surroundings without end have no radius: bodies look out for those that turn.
void Placer::widenForTurningPlane(const StepBody& plane, const BodyStates& at, double dt, Placement& placement) const {
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const double distance = (at.bodies[i].position - plane.start.position).norm() + world_.body(i).radius();
    placement.margins[i] += 2.0 * dt * plane.turning.norm() * distance;
  }
}

}  // namespace cornet
