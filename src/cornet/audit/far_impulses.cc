#include "cornet/audit/far_impulses.h"

#include <algorithm>
#include <limits>

#include "cornet/audit/step_certifier.h"

namespace cornet {
namespace {

constexpr double kNear = 1e-4;  // of the size of the smaller body: a tenth of what may be unexplained

// At time t of the step; surroundings are where they are prescribed to be.
Pose poseAt(const WorldModel& world, const StepEvidence& step, int body, const BodyWay& way, double t, bool is_later) {
  if (body >= world.bodyCount()) return world.calcSurroundings(body - world.bodyCount(), step.before, step.before.time + t).pose();
  const WayLeg& leg = way.legAt(t, is_later);
  const Quaterniond turned = turnAt(leg, t);
  return Pose(turned, placeAt(leg, t) - turned * centreOf(world, body));
}

}  // namespace

FarImpulses::FarImpulses(const WorldModel& world) : world_(world), least_(std::numeric_limits<double>::infinity()) {
  for (int i = 0; i < world.bodyCount(); ++i) least_ = std::min(least_, kNear * world.body(i).size());
}

// What bodies may seem to be apart by: forces bend ways, which puts knees off by h²|f|/2m at most.
double FarImpulses::nearOf(int a, int b, const StepEvidence& step) const {
  double near = kNear * std::min(sizeOf(world_, a), sizeOf(world_, b));
  for (const int body : {a, b}) {
    if (body >= world_.bodyCount()) continue;
    const Vector3d& force = step.forces[static_cast<std::size_t>(body)].force;
    near += 0.5 * step.dt * step.dt * force.norm() / world_.body(body).mass().mass;
  }
  return near;
}

// Of all their shapes.
double FarImpulses::calcGap(int a, const Pose& X_WA, int b, const Pose& X_WB) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const AssetShape& part_a : shapesOf(world_, a)) {
    for (const AssetShape& part_b : shapesOf(world_, b)) {
      if (!mayTouch(part_a.filter, part_b.filter) || !NarrowPhase::supports(part_a.shape, part_b.shape)) continue;
      const ManifoldPoint point = narrow_phase_.calcDistance(part_a.shape, X_WA * part_a.X_BS, part_b.shape, X_WB * part_b.X_BS);
      nearest = std::min(nearest, point.gap);
    }
  }
  return nearest;
}

// At the knees, from both sides.
double FarImpulses::calcDistance(int a, int b, const StepEvidence& step) {
  calcBodyWay(world_, step, a, way_a_);
  calcBodyWay(world_, step, b, way_b_);
  double nearest = std::numeric_limits<double>::infinity();
  for (const BodyWay* way : {&way_a_, &way_b_}) {
    for (const double t : way->knees) {
      for (const bool is_later : {false, true}) {
        const Pose X_WA = poseAt(world_, step, a, way_a_, t, is_later);
        const Pose X_WB = poseAt(world_, step, b, way_b_, t, is_later);
        nearest = std::min(nearest, calcGap(a, X_WA, b, X_WB));
      }
    }
  }
  return std::max(0.0, nearest - nearOf(a, b, step));
}

}  // namespace cornet
