#include "cornet/audit/body_way.h"

#include <algorithm>
#include <limits>

#include "cornet/audit/step_certifier.h"

namespace cornet {
namespace {

// A step, or a part of one, from `begin` to `end`.
void addLegs(const InertialState& from, const InertialState& to, double begin, double end, const PrincipalInertia* inertia, BodyWay& way) {
  const double h = end - begin;
  const Vector3d moved = to.position - from.position, change = from.velocity - to.velocity;
  const double square = change.squaredNorm();
  const double t = square > 0.0 ? std::clamp((moved - h * to.velocity).dot(change) / square, 0.0, h) : 0.5 * h;
  const Vector3d knee = 0.5 * (from.position + t * from.velocity + to.position - (h - t) * to.velocity);
  if (t > 0.0) way.legs.push_back({begin, begin + t, from.position, (knee - from.position) / t, begin, from.orientation, from.omega, inertia});
  if (t < h) way.legs.push_back({begin + t, end, knee, (to.position - knee) / (h - t), end, to.orientation, to.omega, inertia});
  way.knees.push_back(begin + t);
  way.length += (knee - from.position).norm() + (to.position - knee).norm() +
                way.radius * (t * from.omega.norm() + (h - t) * to.omega.norm());
}

}  // namespace

const WayLeg& BodyWay::legAt(double t, bool is_later) const {
  const auto endsBefore = [&](const WayLeg& leg) { return is_later ? leg.end <= t : leg.end < t; };
  const auto found = std::ranges::find_if_not(legs, endsBefore);
  return found == legs.end() ? legs.back() : *found;
}

Vector3d placeAt(const WayLeg& leg, double t) { return leg.from + (t - leg.begin) * leg.velocity; }

Quaterniond turnAt(const WayLeg& leg, double t) {
  if (leg.inertia == nullptr) return expMap((t - leg.known) * leg.omega) * leg.turned;
  Quaterniond turned = leg.turned;
  Vector3d omega = leg.omega;
  leg.inertia->turnFreely(t - leg.known, turned, omega);
  return turned;
}

void calcBodyWay(const WorldModel& world, const StepEvidence& step, int body, BodyWay& way) {
  const double h = step.dt;
  way.legs.clear();
  way.knees.clear();
  way.length = 0.0;
  way.is_known = true;
  way.radius = body < world.bodyCount() ? world.body(body).radius() : 0.0;
  if (body >= world.bodyCount()) {
    const int k = body - world.bodyCount();
    const InertialState from = world.calcSurroundings(k, step.before, step.before.time), to = world.calcSurroundings(k, step.before, step.before.time + h);
    const Vector3d turn = logMap(to.orientation * from.orientation.conjugate());
    way.legs.push_back({0.0, h, from.position, (to.position - from.position) / h, 0.0, from.orientation, turn / h});
    way.length = (to.position - from.position).norm();
    return;
  }
  const PrincipalInertia* const inertia = world.treeOf(body) < 0 ? &world.body(body).inertia() : nullptr;
  InertialState from = step.before.bodies[static_cast<std::size_t>(body)];
  double begin = 0.0;
  for (const Waypoint& point : step.waypoints) {
    if (point.body != body) continue;
    addLegs(from, point.state, begin, point.time, inertia, way);
    from = point.state;
    begin = point.time;
  }
  way.is_known = begin > 0.0 || step.concerns(body);
  addLegs(from, step.after.bodies[static_cast<std::size_t>(body)], begin, h, inertia, way);
}

void collectCorners(const BodyWay& a, const BodyWay& b, std::vector<double>& times) {
  times = {0.0};
  for (const BodyWay* way : {&a, &b}) {
    for (const WayLeg& leg : way->legs) times.push_back(leg.end);
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
}

const std::vector<AssetShape>& shapesOf(const WorldModel& world, int body) {
  return body < world.bodyCount() ? world.body(body).shapes() : world.environment(body - world.bodyCount()).shapes();
}

double sizeOf(const WorldModel& world, int body) {
  return body < world.bodyCount() ? world.body(body).size() : std::numeric_limits<double>::infinity();
}

Vector3d centreOf(const WorldModel& world, int body) { return body < world.bodyCount() ? world.body(body).centre() : Vector3d::Zero(); }

bool mayTouch(const CollisionFilter& a, const CollisionFilter& b) { return (a.group & b.mask) != 0 && (b.group & a.mask) != 0; }

}  // namespace cornet
