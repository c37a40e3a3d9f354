#include "cornet/sim/step_data.h"

#include <Eigen/Geometry>

namespace cornet {

Vector3d StepBody::calcAngularAcceleration() const {
  if (is_link) return link_alpha;
  if (!moves() || force.torque.isZero(0.0)) return Vector3d::Zero();
  return asset->inertia().calcOmega(now.orientation, force.torque);
}

double StepBody::calcInverseMass(const Vector3d& arm, const Vector3d& n) const {
  if (!moves()) return 0.0;
  const Vector3d moment = arm.cross(n);
  return n.squaredNorm() / asset->mass().mass + moment.dot(inverse_inertia * moment);
}

void joinPoints(Vector3d& point_a, Vector3d& point_b) {
  const Vector3d middle = 0.5 * (point_a + point_b);
  point_a = point_b = middle;
}

namespace {

Vector3d across(const Vector3d& n, const Vector3d& x) { return x - n.dot(x) * n; }

}  // namespace

Vector3d transport(const Vector3d& x, const Vector3d& n, const Vector3d& m) {
  const Vector3d axis = n.cross(m);
  if (axis.isZero(0.0)) return x;
  const Vector3d turned = axis.cross(x);
  return x + turned + axis.cross(turned) / (1.0 + n.dot(m));
}

Vector3d calcBelt(const StepBody& a, const StepBody& b, const Vector3d& n) { return across(n, b.surface - a.surface); }

Vector3d calcEndBelt(const StepBody& a, const StepBody& b, const Vector3d& n) {
  return across(n, b.end_surface - a.end_surface);
}

Vector3d calcRelativeVelocity(const InertialState& a, const Vector3d& arm_a, const InertialState& b,
                              const Vector3d& arm_b) {
  return b.velocityAt(arm_b) - a.velocityAt(arm_a);
}

}  // namespace cornet
