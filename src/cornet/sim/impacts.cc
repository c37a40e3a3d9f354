#include "cornet/sim/impacts.h"

#include <algorithm>
#include <cmath>

#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr double kTouching = 1e-9;        // [m] gaps below are not swept: they are closed
constexpr double kSweepAccuracy = 1e-13;  // [m]
constexpr int kSweepSteps = 12;

// Normal acceleration of the points without contacts.
Vector3d calcRelativeAcceleration(const StepBody& a, const Vector3d& arm_a, const StepBody& b,
                                  const Vector3d& arm_b) {
  return b.acceleration() + b.calcAngularAcceleration().cross(arm_b) - a.acceleration() -
         a.calcAngularAcceleration().cross(arm_a);
}

// The contact of two bodies that move freely, at time t.
ManifoldPoint evaluateAt(Detector& detector, const ContactSet& found, int k, const StepBody& a,
                         const StepBody& b, double t, InertialState& state_a, InertialState& state_b) {
  state_a = moveFreely(a, t);
  state_b = moveFreely(b, t);
  return detector.evaluateAt(found, k, Pose(state_a.orientation, state_a.position),
                             Pose(state_b.orientation, state_b.position));
}

enum class Sweep { closes, misses, opens };

// Newton's method for g(t) = 0 from the start of the step.                                    (STEP-2)
Sweep sweep(Detector& detector, const ContactSet& found, const StepBody& a, const StepBody& b,
            double h, StepContact& contact) {
  double t = 0.0;
  double gap = contact.gap;
  InertialState state_a = a.start;
  InertialState state_b = b.start;
  ManifoldPoint point;
  Vector3d arm_a = contact.arm_a;
  Vector3d arm_b = contact.arm_b;
  Vector3d normal = contact.normal;
  for (int step = 0; step < kSweepSteps; ++step) {
    const double rate = normal.dot(calcRelativeVelocity(state_a, arm_a, state_b, arm_b));
    if (rate >= -1e-12) return step == 0 ? Sweep::opens : Sweep::misses;
    t -= gap / rate;
    if (!(t >= 0.0 && t <= h)) return Sweep::misses;
    point = evaluateAt(detector, found, contact.source, a, b, t, state_a, state_b);
    gap = point.gap;
    normal = point.normal;
    arm_a = point.point_a - state_a.position;
    arm_b = point.point_b - state_b.position;
    if (std::abs(gap) >= kSweepAccuracy) continue;
    contact.normal = normal;
    contact.arm_a = arm_a;
    contact.arm_b = arm_b;
    contact.u_before = calcRelativeVelocity(a.start, arm_a, b.start, arm_b);
    contact.pull = normal.dot(calcRelativeAcceleration(a, arm_a, b, arm_b));
    contact.gap = std::max(1e-12, -normal.dot(contact.u_before) * t - 0.5 * contact.pull * t * t);
    return Sweep::closes;
  }
  return Sweep::misses;
}

// (STEP-3), (STEP-4)
void judgeImpact(double h, const SimulatorOptions& options, StepContact& contact) {
  const double gap = contact.openGap();
  const double u0 = contact.normal.dot(contact.u_before);
  const double pull = contact.pull;
  const double root = std::sqrt(std::max(u0 * u0 - 2.0 * pull * gap, 0.0));
  const double threshold = std::max(options.impact_speed, 0.5 * h * std::abs(pull));
  const double time = gap > 0.0 ? 2.0 * gap / std::max(root - u0, 1e-300) : 0.0;
  contact.is_impact = u0 < -threshold && time < h;
  contact.time = contact.is_impact ? time : 0.5 * h;
  contact.wanted = contact.is_impact
                       ? std::max(0.0, -contact.restitution * (u0 + pull * time) + pull * (h - time))
                       : -gap / h;
}

// Semi-implicit Euler knows no times: what closes within the step rebounds at its end.
void judgeImpactAtStart(double h, const SimulatorOptions& options, StepContact& contact) {
  const double u0 = contact.normal.dot(contact.u_before);
  const double threshold = std::max(options.impact_speed, 0.5 * h * std::abs(contact.pull));
  contact.is_impact = u0 < -threshold && contact.openGap() + h * u0 < 0.0;
  contact.time = 0.0;
  contact.wanted = contact.is_impact ? std::max(-contact.restitution * u0, -contact.openGap() / h)
                                     : -contact.openGap() / h;
}

}  // namespace

void findImpacts(const WorldModel& world, Detector& detector, const SimulatorOptions& options,
                 double h, const ContactSet& found, const std::vector<StepBody>& bodies,
                 std::vector<StepContact>& contacts) {
  contacts.clear();
  for (int k = 0; k < found.size(); ++k) {
    StepContact contact;
    contact.source = k;
    contact.a = found.body_a[k];
    contact.b = found.body_b[k];
    contact.key = found.key[k];
    const StepBody& a = bodies[contact.a];
    const StepBody& b = bodies[contact.b];
    const PairLaw& law = world.materials.pair(found.material_a[k], found.material_b[k]);
    contact.mu = law.mu;
    contact.restitution = law.restitution;
    contact.gap = found.gap[k];
    contact.normal = found.normal[k];
    contact.arm_a = found.point_a[k] - a.start.position;
    contact.arm_b = found.point_b[k] - b.start.position;
    contact.u_before = calcRelativeVelocity(a.start, contact.arm_a, b.start, contact.arm_b);
    const Vector3d pull = calcRelativeAcceleration(a, contact.arm_a, b, contact.arm_b);
    contact.pull = contact.normal.dot(pull);
    // (STEP-1)
    if (contact.gap > options.margin + 2.0 * h * (contact.u_before + h * pull).norm()) continue;
    const bool at_start = options.integrator == IntegratorKind::semi_implicit_euler;
    if (contact.gap > kTouching && !at_start) {
      const double u0 = contact.normal.dot(contact.u_before);
      const bool seems_to_close = contact.gap + h * (u0 + 0.5 * h * contact.pull) < 0.0;
      const bool turns =
          found.feature[k].normal_from == ContactFeature::NormalFrom::points;
      // Round things that pass each other do not touch the plane between them.
      if (sweep(detector, found, a, b, h, contact) == Sweep::misses && seems_to_close && turns) continue;
    }
    if (at_start) {
      judgeImpactAtStart(h, options, contact);
    } else {
      judgeImpact(h, options, contact);
    }
    contacts.push_back(contact);
  }
}

}  // namespace cornet
