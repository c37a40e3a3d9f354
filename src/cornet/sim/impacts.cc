#include "cornet/sim/impacts.h"

#include <algorithm>
#include <cmath>

#include "cornet/sim/drift.h"
#include "cornet/sim/make_contact.h"

namespace cornet {
namespace {

constexpr double kSweepAccuracy = 1e-13;  // [m]
constexpr int kSweepSteps = 12;

// The contact of two bodies that move freely, at time t.
ManifoldPoint evaluateAt(Detector& detector, const ContactSet& found, int k, const StepBody& a,
                         const StepBody& b, double t, InertialState& state_a, InertialState& state_b) {
  state_a = moveFreely(a, t);
  state_b = moveFreely(b, t);
  return detector.evaluateAt(found, k, state_a.pose(), state_b.pose());
}

enum class Sweep { closes, misses, opens };

// Newton's method for g(t) = 0 from the start of the step. Where missing means that there is no contact, slopes have the acceleration
// in them, and what would be met after the step is looked at once more at its end.             (STEP-2)
Sweep sweep(Detector& detector, const ContactSet& found, const StepBody& a, const StepBody& b,
            double h, bool is_strict, StepContact& contact) {
  double t = 0.0;
  double gap = contact.gap;
  InertialState state_a = a.start;
  InertialState state_b = b.start;
  ManifoldPoint point;
  Vector3d arm_a = contact.arm_a;
  Vector3d arm_b = contact.arm_b;
  Vector3d normal = contact.normal;
  for (int step = 0; step < kSweepSteps; ++step) {
    double rate = normal.dot(calcRelativeVelocity(state_a, arm_a, state_b, arm_b));
    if (is_strict) rate += t * normal.dot(calcRelativeAcceleration(a, arm_a, b, arm_b));
    if (rate >= -1e-12) return step == 0 ? Sweep::opens : Sweep::misses;
    const double next = t - gap / rate;
    const bool is_late = next > h && (!is_strict || t == h);
    if (!(next >= 0.0) || is_late) return Sweep::misses;
    t = std::min(next, h);
    point = evaluateAt(detector, found, contact.source, a, b, t, state_a, state_b);
    gap = point.gap;
    normal = point.normal;
    arm_a = point.point_a - state_a.position;
    arm_b = point.point_b - state_b.position;
    if (std::abs(gap) >= kSweepAccuracy) continue;
    contact.normal = normal;
    contact.arm_a = arm_a;
    contact.arm_b = arm_b;
    contact.point = 0.5 * (point.point_a + point.point_b);
    contact.u_before = calcRelativeVelocity(a.start, arm_a, b.start, arm_b) + calcBelt(a, b, normal);
    contact.pull = normal.dot(calcRelativeAcceleration(a, arm_a, b, arm_b));
    contact.gap = std::max(1e-12, -normal.dot(contact.u_before) * t - 0.5 * contact.pull * t * t);
    return Sweep::closes;
  }
  return Sweep::misses;
}

// Whether features known now are those that will touch: points of bodies over planes, and balls.
bool keepsFeatures(const Shape& a, const Shape& b) {
  const bool balls = std::holds_alternative<Sphere>(a) && std::holds_alternative<Sphere>(b);
  return balls || isStatic(a);
}

// Whether it is open and stays so, however its bodies are pulled.                               (STEP-1)
bool isOutOfReach(const Search& search, const StepContact& contact) {
  const double margin = search.options.margin;
  if (contact.gap <= margin) return false;
  const Vector3d pull = calcRelativeAcceleration(search.bodies[contact.a], contact.arm_a,
                                                 search.bodies[contact.b], contact.arm_b);
  return contact.gap > margin + 2.0 * search.h * (contact.u_before + search.h * pull).norm();
}

// How fast two bodies can approach each other at most, over the step.
double calcReach(const StepBody& a, const StepBody& b, double h) {
  const auto turning = [](const StepBody& body) { return body.moves() ? body.radius * body.start.omega.norm() : 0.0; };
  const auto velocityOf = [](const StepBody& body) -> Vector3d {
    return body.moves() ? body.start.velocity : body.displacement;
  };
  return (velocityOf(b) - velocityOf(a)).norm() +
         h * (b.acceleration() - a.acceleration()).norm() + turning(a) + turning(b) +
         (a.moves() ? 0.0 : a.turning.norm() * (b.radius + (b.start.position - a.start.position).norm())) +
         (b.moves() ? 0.0 : b.turning.norm() * (a.radius + (b.start.position - a.start.position).norm()));
}

}  // namespace

// Conservative advancement: the bodies cannot meet before they have covered their distance at full speed.
// Returns whether they meet within the step; their contacts are then appended.                 (STEP-2)
bool ImpactFinder::sweepPair(const Search& search, const ShapePair& pair) {
  constexpr double kMeet = 1e-9;  // [m]
  constexpr int kMostAdvances = 60;
  const StepBody& a = search.bodies[pair.body_a];
  const StepBody& b = search.bodies[pair.body_b];
  const double reach = calcReach(a, b, search.h);
  if (search.h * reach < kMeet) return false;  // they are further apart
  double t = 0.0;
  InertialState state_a, state_b;
  Pose X_WA, X_WB;
  for (int k = 0;; ++k) {
    state_a = moveFreely(a, t);
    state_b = moveFreely(b, t);
    X_WA = state_a.pose();
    X_WB = state_b.pose();
    const double distance = search.detector.distanceAt(pair.shape_a, pair.shape_b, X_WA, X_WB);
    if (distance <= kMeet || k == kMostAdvances) break;
    t += distance / reach;
    if (!(t <= search.h)) return false;
  }
  search.detector.collideAt(pair.shape_a, pair.shape_b, X_WA, X_WB,
                            search.options.margin + search.h * reach, manifold_);
  const StepContact first = makeContact(search.world, search.found, pair.begin, false, search.bodies);
  for (const ManifoldPoint& point : manifold_) {
    StepContact contact = makeContactAt(first, point, state_a, state_b, search.bodies);
    const double way = point.normal.dot(contact.u_before) * t + 0.5 * contact.pull * t * t;
    contact.gap = std::max(1e-12, point.gap - way);
    judgeImpact(search, contact);
    search.contacts.push_back(contact);
  }
  return true;
}

// Appends the contacts as they are, those that close with what they are when they do.
void ImpactFinder::takeContacts(const Search& search, const ShapePair& pair, bool followed) {
  const SimulatorOptions& options = search.options;
  const double h = search.h;
  const bool at_start = options.integrator == IntegratorKind::semi_implicit_euler;
  const bool is_patch = pair.end - pair.begin > 1;
  for (int k = pair.begin; k < pair.end; ++k) {
    const bool joins = is_patch && search.found.gap[k] <= options.margin;
    StepContact contact = makeContact(search.world, search.found, k, joins, search.bodies);
    const StepBody& a = search.bodies[contact.a];
    const StepBody& b = search.bodies[contact.b];
    if (!followed && contact.gap > options.margin) continue;
    if (isOutOfReach(search, contact)) continue;
    bool missed = false;
    if (followed && contact.gap > StepContact::kTouching && !at_start) {
      const double u0 = contact.normal.dot(contact.u_before);
      const bool seems_to_close = contact.gap + h * (u0 + 0.5 * h * contact.pull) < 0.0;
      const ContactFeature& feature = search.found.feature[k];
      const bool turns = feature.normal_from == ContactFeature::NormalFrom::points && feature.radius_a >= 0.0;
      const bool misses = sweep(search.detector, search.found, a, b, h, turns && seems_to_close, contact) == Sweep::misses;
      // Round things that pass each other do not touch the plane between them; in a hollow nothing passes.
      if (misses && seems_to_close && turns) continue;
      missed = misses;
    }
    at_start ? judgeImpactAtStart(search, contact) : judgeImpact(search, contact);
    // What hits by the parabola alone is followed once more, with slopes that know the acceleration: where and when it hits matters.
    if (missed && contact.is_impact && sweep(search.detector, search.found, a, b, h, true, contact) == Sweep::closes) judgeImpact(search, contact);
    search.contacts.push_back(contact);
  }
}

void ImpactFinder::find(const Search& search, std::span<const ShapePair> pairs) {
  search.contacts.clear();
  const bool at_start = search.options.integrator == IntegratorKind::semi_implicit_euler;
  for (const ShapePair& pair : pairs) {
    const bool followed = at_start || pair.least <= StepContact::kTouching ||
                          keepsFeatures(search.detector.shape(pair.shape_a),
                                        search.detector.shape(pair.shape_b));
    if (!followed && sweepPair(search, pair)) continue;
    takeContacts(search, pair, followed);
  }
}

}  // namespace cornet
