#include "cornet/audit/step_certifier.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "cornet/math/rotation.h"
#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

// [rad] turning is judged with ω alone where that explains it to this much; bodies that gyrate fast need free rotation.
constexpr double kPlainTurn = 1e-4;

// [m/s] what impulses do at such speeds is rounding: solutions are solved to 1e-13 m/s at best.
constexpr double kFloor = 1e-12;

// Sum of the absolute entries: momenta are compared by it, which costs no root.
double lengthOf(const Vector3d& x) { return x.cwiseAbs().sum(); }

// How far a point lies outside the ball of this radius vector.
double calcOutside(const Vector3d& point, const Vector3d& radius) {
  const double far = point.squaredNorm(), near = radius.squaredNorm();
  return far <= near ? 0.0 : std::sqrt(far) - std::sqrt(near);
}

// Rotation vector from one orientation to the other; of small turns to 1e-6 rad.
Vector3d calcTurn(const Quaterniond& from, const Quaterniond& to) {
  const Quaterniond turn = to * from.conjugate();
  constexpr double kSmall = 1e-4;  // square of the sine of half of it
  if (turn.vec().squaredNorm() > kSmall) return logMap(turn);
  return turn.w() > 0.0 ? Vector3d(2.0 * turn.vec()) : Vector3d(-2.0 * turn.vec());
}

}  // namespace

StepCertifier::StepCertifier(const WorldModel& world) : world_(world) {
  for (std::size_t j = 0; j < world.joints().size(); ++j) {
    joint_of_.insert(joint_of_.end(), static_cast<std::size_t>(world.joints()[j].count), static_cast<int>(j));
  }
  surroundings_.resize(static_cast<std::size_t>(world.environmentCount()));
  for (int k = 0; k < world.environmentCount(); ++k) {
    const AssetEnvironment& asset = world.environment(k);
    surroundings_[k].stands = isAtRest(asset.motion()) && asset.surfaceVelocity().isZero(0.0);
  }
}

// Momenta, energies and the work of forces, body by body.
void StepCertifier::beginBodies(const StepEvidence& step, EnergyReport& energy) {
  const int count = world_.bodyCount();
  bodies_.resize(static_cast<std::size_t>(count));
  double load_work = 0.0, energy_before = 0.0;
  energy = {};
  for (int i = 0; i < count; ++i) {
    const AssetInertial& asset = world_.body(i);
    const InertialState& before = step.before.bodies[i];
    const InertialState& after = step.after.bodies[i];
    const BodyForce& force = step.forces[i];
    const double m = asset.mass().mass;
    const Vector3d L_before = asset.inertia().calcMomentum(before.orientation, before.omega);
    const Vector3d L_after = asset.inertia().calcMomentum(after.orientation, after.omega);
    BodyBalance& body = bodies_[i];
    body.size = asset.size();
    body.passed = 0.0;
    body.linear = m * (after.velocity - before.velocity) - step.dt * force.force;
    body.angular = L_after - L_before - step.dt * force.torque;
    body.linear_size = m * (lengthOf(after.velocity) + lengthOf(before.velocity)) + step.dt * lengthOf(force.force);
    body.angular_size = lengthOf(L_after) + lengthOf(L_before) + step.dt * lengthOf(force.torque);
    body.kinetic_before = 0.5 * m * before.velocity.squaredNorm() + 0.5 * before.omega.dot(L_before);
    body.kinetic_after = 0.5 * m * after.velocity.squaredNorm() + 0.5 * after.omega.dot(L_after);
    const Vector3d way = after.position - before.position;
    double work = force.force.dot(way);
    double drag = asset.linearDrag() == 0.0 ? 0.0 : -asset.linearDrag() * before.velocity.dot(way);
    if (!force.torque.isZero(0.0)) {
      const Vector3d turn = logMap(after.orientation * before.orientation.conjugate());
      work += force.torque.dot(turn);
      drag -= asset.angularDrag() * before.omega.dot(turn);
    }
    body.energy = body.kinetic_after - body.kinetic_before - work;
    body.reference = lengthOf(force.force) * asset.size();
    load_work += work - drag - m * world_.gravity.dot(way);
    energy_before += body.kinetic_before - m * world_.gravity.dot(before.position);
    energy.kinetic += body.kinetic_after;
    energy.potential -= m * world_.gravity.dot(after.position);
  }
  energy.work_in = load_work;
  energy.dissipated = energy_before - energy.kinetic - energy.potential;  // and all work, once it is known
}

void StepCertifier::placeSurroundings(const StepEvidence& step) {
  for (int k = 0; k < world_.environmentCount(); ++k) {
    PrescribedMotion& motion = surroundings_[k];
    if (motion.stands) continue;
    const AssetEnvironment& asset = world_.environment(k);
    const InertialState begin = asset.calcState(step.before.time);
    motion.surface = begin.orientation * asset.surfaceVelocity();
    if (isAtRest(asset.motion())) continue;
    const InertialState end = asset.calcState(step.before.time + step.dt);
    motion.linear = (end.position - begin.position) / step.dt;
    motion.angular = logMap(end.orientation * begin.orientation.conjugate()) / step.dt;
    motion.surface = 0.5 * (motion.surface + end.orientation * asset.surfaceVelocity());
  }
}

// `length` is that of `linear`. What acts through the centre has no moment but by rounding: arms count as the body's size.
void StepCertifier::addImpulse(int body, const Vector3d& linear, const Vector3d& angular, double length) {
  if (body >= world_.bodyCount()) return;
  BodyBalance& balance = bodies_[body];
  balance.linear -= linear;
  balance.angular -= angular;
  balance.linear_size += length;
  balance.passed += length;
  balance.angular_size += balance.size * length;
}

void StepCertifier::join(int a, int b) {
  if (a < world_.bodyCount() && b < world_.bodyCount()) groups_.unite(a, b);
}

// Work that is done on the group of a body.
void StepCertifier::addWork(int body, double work) {
  if (work == 0.0 || body >= world_.bodyCount()) return;
  bodies_[body].energy -= work;
  bodies_[body].reference += std::abs(work);
  work_ += work;
}

// What an impulse does to surroundings, which move as they do whatever pushes them; 0 for bodies.
double StepCertifier::calcWorkOn(int body, const Vector3d& linear, const Vector3d& angular, bool with_surface) const {
  if (body < world_.bodyCount()) return 0.0;
  const PrescribedMotion& motion = surroundings_[body - world_.bodyCount()];
  if (motion.stands) return 0.0;
  double work = linear.dot(motion.linear) + angular.dot(motion.angular);
  if (with_surface) work += linear.dot(motion.surface);
  return work;
}

void StepCertifier::addContact(const ContactOutcome& contact) {
  const double length = lengthOf(contact.impulse);
  if (length == 0.0) return;
  const bool a_moves = contact.a < world_.bodyCount();
  const bool b_moves = contact.b < world_.bodyCount();
  if (a_moves) addImpulse(contact.a, -contact.impulse, contact.arm_a.cross(-contact.impulse), length);
  if (b_moves) addImpulse(contact.b, contact.impulse, contact.arm_b.cross(contact.impulse), length);
  if (a_moves && b_moves) {
    groups_.unite(contact.a, contact.b);
  } else if (!a_moves) {
    addWork(contact.b, -calcWorkOn(contact.a, -contact.impulse, contact.arm_a.cross(-contact.impulse), true));
  } else {
    addWork(contact.a, -calcWorkOn(contact.b, contact.impulse, contact.arm_b.cross(contact.impulse), true));
  }
}

void StepCertifier::addMoment(const ContactMoment& moment) {
  addImpulse(moment.a, Vector3d::Zero(), moment.on_a, 0.0);
  addImpulse(moment.b, Vector3d::Zero(), moment.on_b, 0.0);
  addWork(moment.b, -calcWorkOn(moment.a, Vector3d::Zero(), moment.on_a, true));
  addWork(moment.a, -calcWorkOn(moment.b, Vector3d::Zero(), moment.on_b, true));
}

// Closure, impulses and work of one constraint.
void StepCertifier::addConstraint(const StepEvidence& step, int index, StepCertificate& certificate) {
  const ConstraintOutcome& outcome = step.constraints[index];
  if (!outcome.is_active) return;
  const ConstraintView after(world_, index, step.after);
  const MatrixXd J_after = after.calcJacobian();
  const int a = static_cast<int>(after.constraint.bodyAIndex());
  const int b = after.hasB() ? static_cast<int>(after.constraint.bodyBIndex()) : world_.totalCount();
  const int moving = a < world_.bodyCount() ? a : b;
  if (moving >= world_.bodyCount()) return;
  const ConstraintError error = calcConstraintError(world_, after, J_after);
  certificate[StepMeasure::closure].add({error.relative, moving, -1, joint_of_[index]});
  if (outcome.impulse.isZero(0.0)) return;

  // Of torques without a force the length is that of a force at the body's size.
  const auto lengthAt = [&](int body, const Vector3d& linear, const Vector3d& angular) {
    return body < world_.bodyCount() ? std::max(lengthOf(linear), lengthOf(angular) / bodies_[body].size) : 0.0;
  };
  addImpulse(a, outcome.linear_a, outcome.angular_a, lengthAt(a, outcome.linear_a, outcome.angular_a));
  if (after.hasB()) addImpulse(b, outcome.linear_b, outcome.angular_b, lengthAt(b, outcome.linear_b, outcome.angular_b));
  if (after.hasB()) join(a, b);
  // Motors at the rate they have, constraints that move by themselves at theirs.
  const ConstraintView before(world_, index, step.before);
  const VectorXd rate = after.constraint.law().kind == LawKind::box
                            ? VectorXd(0.5 * (before.calcRate() + calcRate(J_after, after.a, after.b)))
                            : VectorXd(0.5 * (before.constraint.targetRate(before.a, before.b, before.time) +
                                              after.constraint.targetRate(after.a, after.b, after.time)));
  addWork(moving, outcome.impulse.dot(rate));
  addWork(moving, -calcWorkOn(a, outcome.linear_a, outcome.angular_a, false));
  if (after.hasB()) addWork(moving, -calcWorkOn(b, outcome.linear_b, outcome.angular_b, false));
}

// The angle by which the end lies outside the ball between turning freely with the state before and with that after. Where
// the velocity hardly changes in free rotation, by h ω² (I_max/I_min - 1) at most, it stands for that.
double StepCertifier::calcUnexplainedTurn(int i, const StepEvidence& step) const {
  const PrincipalInertia& inertia = world_.body(i).inertia();
  const Vector3d& w0 = step.before.bodies[i].omega;
  const Vector3d& w1 = step.after.bodies[i].omega;
  const double h = step.dt;
  const double unequal = inertia.moments().maxCoeff() / inertia.moments().minCoeff() - 1.0;
  if (0.5 * h * h * std::max(w0.squaredNorm(), w1.squaredNorm()) * unequal < kPlainTurn) {
    const Vector3d turn = calcTurn(step.before.bodies[i].orientation, step.after.bodies[i].orientation);
    const double angle = calcOutside(turn - 0.5 * h * (w0 + w1), 0.5 * h * (w1 - w0));
    if (angle <= kPlainTurn) return angle;
  }
  InertialState forward = step.before.bodies[i];
  inertia.turnFreely(step.dt, forward.orientation, forward.omega);
  InertialState backward = step.after.bodies[i];
  inertia.turnFreely(-step.dt, backward.orientation, backward.omega);
  const Quaterniond begin = step.before.bodies[i].orientation;
  const Quaterniond end = step.after.bodies[i].orientation;
  const Quaterniond other_end = end * backward.orientation.conjugate() * begin;
  const Vector3d diameter = logMap(other_end * forward.orientation.conjugate());
  const Quaterniond centre = expMap(0.5 * diameter) * forward.orientation;
  return std::max(0.0, logMap(end * centre.conjugate()).norm() - 0.5 * diameter.norm());
}

void StepCertifier::judgeMotion(const StepEvidence& step, WorstOf& worst) const {
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const AssetInertial& asset = world_.body(i);
    const InertialState& before = step.before.bodies[i];
    const InertialState& after = step.after.bodies[i];
    const double h = step.dt;
    const Vector3d off = after.position - before.position - 0.5 * h * (before.velocity + after.velocity);
    double way = calcOutside(off, 0.5 * h * (after.velocity - before.velocity));
    if (way > 0.0) way = std::max(0.0, way - 0.5 * h * h / asset.mass().mass * step.forces[i].force.norm());
    worst.add({way / asset.size(), i});
    worst.add({calcUnexplainedTurn(i, step), i});
  }
}

void StepCertifier::judgeMomentum(WorstOf& worst) const {
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const BodyBalance& body = bodies_[i];
    const double linear = lengthOf(body.linear);
    const double angular = lengthOf(body.angular);
    const double linear_share = linear == 0.0 ? 0.0 : linear / body.linear_size;
    const double angular_share = angular == 0.0 ? 0.0 : angular / body.angular_size;
    worst.add({linear_share, i});
    worst.add({angular_share, i});
  }
}

// Both sets are in the order of their shapes.
void StepCertifier::judgeOverlap(const StepEvidence& step, WorstOf& worst) const {
  const ContactSet& before = step.found_before;
  const ContactSet& after = step.found_after;
  int at = 0;
  for (int begin = 0, end = 0; begin < after.size(); begin = end) {
    const std::pair shapes(after.shape_a[begin], after.shape_b[begin]);
    double depth = 0.0;
    for (; end < after.size() && std::pair(after.shape_a[end], after.shape_b[end]) == shapes; ++end) {
      depth = std::max(depth, -after.gap[end]);
    }
    if (!(depth > 0.0)) continue;
    while (at < before.size() && std::pair(before.shape_a[at], before.shape_b[at]) < shapes) ++at;
    double known = 0.0;
    for (int k = at; k < before.size() && std::pair(before.shape_a[k], before.shape_b[k]) == shapes; ++k) {
      known = std::max(known, -before.gap[k]);
    }
    const int a = after.body_a[begin];
    const int b = after.body_b[begin];
    const auto sizeOf = [&](int body) {
      return body < world_.bodyCount() ? world_.body(body).size() : std::numeric_limits<double>::infinity();
    };
    worst.add({std::max(0.0, depth - known) / std::min(sizeOf(a), sizeOf(b)), std::min(a, b), std::max(a, b)});
  }
}

// Energies of groups are collected at their first bodies.
void StepCertifier::judgeEnergy(WorstOf& worst, double& gained) {
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const int first = groups_.find(i);
    if (first == i) continue;
    bodies_[first].energy += bodies_[i].energy;
    bodies_[first].reference += bodies_[i].reference;
    bodies_[first].passed += bodies_[i].passed;
    bodies_[first].kinetic_before += bodies_[i].kinetic_before;
    bodies_[first].kinetic_after += bodies_[i].kinetic_after;
  }
  for (int i = 0; i < world_.bodyCount(); ++i) {
    if (groups_.find(i) != i) continue;
    const BodyBalance& group = bodies_[i];
    const double reference = std::max(group.kinetic_before, group.kinetic_after) + group.reference;
    if (group.energy <= kFloor * group.passed) continue;
    gained += group.energy;
    worst.add({group.energy / reference, i});
  }
}

void StepCertifier::judge(const StepEvidence& step, StepCertificate& certificate) {
  certificate = {};
  work_ = 0.0;
  groups_.reset(world_.bodyCount());
  beginBodies(step, certificate.energy);
  placeSurroundings(step);
  for (const ContactOutcome& contact : step.contacts) addContact(contact);
  for (const ContactMoment& moment : step.moments) addMoment(moment);
  for (int k = 0; k < static_cast<int>(step.constraints.size()); ++k) addConstraint(step, k, certificate);
  judgeMotion(step, certificate[StepMeasure::motion]);
  judgeMomentum(certificate[StepMeasure::momentum]);
  judgeOverlap(step, certificate[StepMeasure::overlap]);
  judgeEnergy(certificate[StepMeasure::energy], certificate.energy.gained);
  certificate.energy.work_in += work_;
  certificate.energy.dissipated += certificate.energy.work_in;
}

}  // namespace cornet
