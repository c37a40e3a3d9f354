#include "cornet/audit/far_impulses.h"

#include <algorithm>
#include <limits>

#include "cornet/audit/step_certifier.h"

namespace cornet {
namespace {

constexpr double kNear = 1e-4;  // of the size of the smaller body: a tenth of what may be unexplained

Pose poseAt(const WorldModel& world, int body, const BodyWay& way, double t, bool is_later) {
  const WayLeg& leg = way.legAt(t, is_later);
  const Quaterniond turned = turnAt(leg, t);
  return Pose(turned, placeAt(leg, t) - turned * centreOf(world, body));
}

}  // namespace

FarImpulses::FarImpulses(const WorldModel& world) : world_(world) {}

double FarImpulses::nearOf(int a, int b) const { return kNear * std::min(sizeOf(world_, a), sizeOf(world_, b)); }

// Of all their shapes.
double FarImpulses::calcDistance(int a, const Pose& X_WA, int b, const Pose& X_WB) {
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

double FarImpulses::calcNearest(int a, int b, const StepEvidence& step) {
  calcBodyWay(world_, step, a, way_a_);
  calcBodyWay(world_, step, b, way_b_);
  collectCorners(way_a_, way_b_, times_);
  double nearest = std::numeric_limits<double>::infinity();
  for (const double t : times_) {
    for (const bool is_later : {false, true}) {
      const Pose X_WA = poseAt(world_, a, way_a_, t, is_later), X_WB = poseAt(world_, b, way_b_, t, is_later);
      nearest = std::min(nearest, calcDistance(a, X_WA, b, X_WB));
      if (nearest <= nearOf(a, b)) return nearest;
    }
  }
  return nearest;
}

const std::vector<FarImpulses::FarImpulse>& FarImpulses::find(const StepEvidence& step,
                                                              const std::function<bool(int body, double impulse)>& matters) {
  found_.clear();
  for (std::size_t begin = 0, end = 0; begin < step.contacts.size(); begin = end) {
    const int a = step.contacts[begin].a, b = step.contacts[begin].b;
    double gap = std::numeric_limits<double>::infinity(), impulse = 0.0;
    for (; end < step.contacts.size() && step.contacts[end].a == a && step.contacts[end].b == b; ++end) {
      const ContactOutcome& contact = step.contacts[end];
      if (contact.impulse.isZero(0.0)) continue;
      const bool is_measured = !contact.is_impact && !contact.is_late;  // others have gaps that their motion is extrapolated from
      if (is_measured) gap = std::min(gap, contact.gap);
      impulse += contact.impulse.cwiseAbs().sum();
    }
    if (impulse == 0.0 || !(gap > nearOf(a, b)) || (!matters(a, impulse) && !matters(b, impulse))) continue;
    const double nearest = calcNearest(a, b, step);
    if (nearest > nearOf(a, b)) found_.push_back({a, b, nearest});
  }
  return found_;
}

}  // namespace cornet
