#include "cornet/sim/make_contact.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace cornet {
namespace {

// Whether the last step ended with the contact closed, so that only the turning of its rows and joints can make it approach.
bool hasCarried(const Search& search, const StepContact& contact) {
  const auto found = std::ranges::lower_bound(search.remembered, contact.key, {}, &ContactMemory::key);
  return found != search.remembered.end() && found->key == contact.key &&
         found->impulse.dot(contact.normal) > 0.0;
}

// How much the turning of bodies, and joints that keep bodies together that turn, change the velocity along a row in a step, at most.
double calcTurning(const Search& search, const StepContact& contact) {
  const Vector3d& n = contact.normal;
  const double slip = (contact.u_before - n.dot(contact.u_before) * n).norm();
  const auto of = [&](int index, const Vector3d& arm) {
    const StepBody& body = search.bodies[index];
    const Vector3d& omega = body.start.omega;
    return omega.cross(n).norm() * (slip + omega.cross(arm).norm()) + body.joint_acceleration;
  };
  return search.h * (of(contact.a, contact.arm_a) + of(contact.b, contact.arm_b));
}

// Whether it approaches too fast to be held without an impact. Slower ones are noise where things rebound, and
// otherwise what gravity gives in half a step: one kick for all at a time that a slow touch chooses would cost
// everything that rests its second order.
bool strikes(const Search& search, const StepContact& contact, double approach) {
  const double pull = contact.restitution > 0.0 ? std::abs(contact.pull)
                                                : std::max(std::abs(contact.pull), search.world.gravity.norm());
  if (!(approach > std::max(search.options.impact_speed, 0.5 * search.h * pull))) return false;
  return !hasCarried(search, contact) || approach > calcTurning(search, contact);
}

}  // namespace

Vector3d calcRelativeAcceleration(const StepBody& a, const Vector3d& arm_a, const StepBody& b,
                                  const Vector3d& arm_b) {
  return b.acceleration() + b.calcAngularAcceleration().cross(arm_b) - a.acceleration() -
         a.calcAngularAcceleration().cross(arm_a);
}

StepContact makeContact(const WorldModel& world, const ContactSet& found, int k, bool joins,
                        const std::vector<StepBody>& bodies) {
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
  contact.is_joined = joins;
  Vector3d point_a = found.point_a[k];
  Vector3d point_b = found.point_b[k];
  if (contact.is_joined) joinPoints(point_a, point_b);
  contact.arm_a = point_a - a.start.position;
  contact.arm_b = point_b - b.start.position;
  contact.point = 0.5 * (point_a + point_b);
  contact.u_before = calcRelativeVelocity(a.start, contact.arm_a, b.start, contact.arm_b) + calcBelt(a, b, contact.normal);
  contact.pull = contact.normal.dot(calcRelativeAcceleration(a, contact.arm_a, b, contact.arm_b));
  return contact;
}

StepContact makeContactAt(const StepContact& first, const ManifoldPoint& point, const InertialState& state_a,
                          const InertialState& state_b, const std::vector<StepBody>& bodies) {
  const StepBody& a = bodies[first.a];
  const StepBody& b = bodies[first.b];
  StepContact contact = first;
  contact.source = -1;
  contact.key = point.key;
  contact.gap = point.gap;
  contact.normal = point.normal;
  contact.arm_a = point.point_a - state_a.position;
  contact.arm_b = point.point_b - state_b.position;
  contact.point = 0.5 * (point.point_a + point.point_b);
  contact.u_before = calcRelativeVelocity(a.start, contact.arm_a, b.start, contact.arm_b) + calcBelt(a, b, contact.normal);
  contact.pull = point.normal.dot(calcRelativeAcceleration(a, contact.arm_a, b, contact.arm_b));
  return contact;
}

void judgeImpact(const Search& search, StepContact& contact) {
  const double h = search.h;
  const double gap = contact.openGap();
  const double u0 = contact.normal.dot(contact.u_before);
  const double pull = contact.pull;
  const double radicand = u0 * u0 - 2.0 * pull * gap;  // < 0: forces turn it round before it meets
  const double time = gap > 0.0 ? 2.0 * gap / std::max(std::sqrt(std::max(radicand, 0.0)) - u0, 1e-300) : 0.0;
  contact.is_impact = radicand >= 0.0 && time < h && strikes(search, contact, -u0);
  contact.time = contact.is_impact ? time : 0.5 * h;
  contact.wanted = contact.is_impact
                       ? std::max(0.0, -contact.restitution * (u0 + pull * time) + pull * (h - time))
                       : -gap / h;
  // What comes fast and does not arrive, or is met in a step of its own, is not held before: its mean velocity may close the gap.
  const bool is_awaited = gap > 0.0 && !contact.is_impact && (search.ends_at_impacts || strikes(search, contact, -u0));
  if (is_awaited) contact.wanted = std::min(contact.wanted, -2.0 * gap / h - u0);
}

void judgeImpactAtStart(const Search& search, StepContact& contact) {
  const double h = search.h;
  const double u0 = contact.normal.dot(contact.u_before);
  contact.is_impact = contact.openGap() + h * u0 < 0.0 && strikes(search, contact, -u0);
  contact.time = 0.0;
  contact.wanted = contact.is_impact ? std::max(-contact.restitution * u0, -contact.openGap() / h)
                                     : -contact.openGap() / h;
}

}  // namespace cornet
