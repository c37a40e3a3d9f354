#include "cornet/sim/trees/contact_at.h"

#include <Eigen/Geometry>

#include "cornet/sim/drift.h"

namespace cornet {

InertialState calcStateAt(const StepView& step, int index, double t, double t_velocity) {
  const StepBody& body = step.bodies[index];
  if (body.moves()) return body.now;
  InertialState state = moveFreely(body, t);
  const double share = t_velocity / step.h;
  state.velocity = (1.0 - share) * body.start.velocity + share * body.end_velocity;
  state.omega = (1.0 - share) * body.start.omega + share * body.end_omega;
  return state;
}

ContactAt calcContactAt(const StepView& step, const StepContact& contact, double t, double t_velocity) {
  const InertialState a = calcStateAt(step, contact.a, t, t_velocity);
  const InertialState b = calcStateAt(step, contact.b, t, t_velocity);
  ContactAt at;
  std::optional<ManifoldPoint> point;
  if (contact.source >= 0) {
    point = step.detector->followFeature(*step.found, contact.source, a.pose(), b.pose());
  }
  if (point) {
    at.gap = point->gap;
    at.normal = point->normal;
    if (contact.is_joined) joinPoints(point->point_a, point->point_b);
    at.arm_a = point->point_a - a.position;
    at.arm_b = point->point_b - b.position;
  } else {
    const auto wayOf = [&](int index, const InertialState& now, const Vector3d& arm) -> Vector3d {
      const InertialState& start = step.bodies[index].start;
      return now.position - start.position + (now.orientation * (start.orientation.conjugate() * arm) - arm);
    };
    at.normal = contact.normal;
    at.arm_a = contact.arm_a;
    at.arm_b = contact.arm_b;
    at.gap = contact.gap + at.normal.dot(wayOf(contact.b, b, contact.arm_b) - wayOf(contact.a, a, contact.arm_a));
  }
  at.u = calcRelativeVelocity(a, at.arm_a, b, at.arm_b) + calcBelt(step.bodies[contact.a], step.bodies[contact.b], at.normal);
  return at;
}

}  // namespace cornet
