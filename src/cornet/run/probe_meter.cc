#include "cornet/run/probe_meter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

using enum Quantity;

InertialState stateOf(const Moment& moment, int body) { return moment.world.calcBodyState(body, moment.state); }

JointReading readingOf(const Moment& moment, int joint) {
  const ConstraintView view(moment.world, moment.world.joints()[static_cast<std::size_t>(joint)].first, moment.state);
  return view.calcReading();
}

// Of a joint or actuator of a tree.
const WorldTree& treeOf(const Moment& moment, const Probe& probe) { return moment.world.tree(probe.part.tree); }
const TreeOutcome& outcomeOf(const Moment& moment, const Probe& probe) { return moment.trees[static_cast<std::size_t>(probe.part.tree)]; }

double calcOfTreeJoint(const Moment& moment, const Probe& probe) {
  const WorldTree& own = treeOf(moment, probe);
  const TreeJoint& joint = own.tree->joints()[static_cast<std::size_t>(probe.part.index)];
  if (probe.quantity == joint_position) return moment.coordinates->q[own.q_begin + joint.q];
  if (probe.quantity == joint_rate) return moment.coordinates->v[own.v_begin + joint.v];
  const TreeOutcome& done = outcomeOf(moment, probe);
  const double effort = done.impulse[joint.v] / moment.dt;
  return probe.quantity == motor_effort ? effort : 0.5 * effort * (done.v_before[joint.v] + done.v_after[joint.v]);
}

double calcOfActuator(const Moment& moment, const Probe& probe) {
  const WorldTree& own = treeOf(moment, probe);
  const int actuator = probe.part.index;
  if (probe.quantity == actuator_force) return outcomeOf(moment, probe).actuator_impulse[actuator] / moment.dt;
  if (probe.quantity == actuator_control) return outcomeOf(moment, probe).control[actuator];
  return moment.coordinates->activation[own.activation_begin + own.tree->actuators()[static_cast<std::size_t>(actuator)].activation];
}

// The watched point from the centre, world axes.
Vector3d armOf(const Moment& moment, const Probe& probe, const InertialState& state) {
  if (!probe.point) return Vector3d::Zero();
  const int moving = moment.world.bodyCount();
  const Vector3d centre =
      probe.body < moving ? moment.world.body(probe.body).centre() : Vector3d(Vector3d::Zero());
  return state.toWorld(*probe.point - centre);
}

Vector3d calcPosition(const Moment& moment, const Probe& probe) {
  const InertialState state = stateOf(moment, probe.body);
  Vector3d x = state.position + armOf(moment, probe, state);
  if (probe.other >= 0) x -= stateOf(moment, probe.other).position;
  return x;
}

Vector3d calcVelocity(const Moment& moment, const Probe& probe) {
  const InertialState state = stateOf(moment, probe.body);
  Vector3d v = state.velocityAt(armOf(moment, probe, state));
  if (probe.other >= 0) v -= stateOf(moment, probe.other).velocity;
  return v;
}

Vector3d calcOmega(const Moment& moment, const Probe& probe) {
  Vector3d omega = stateOf(moment, probe.body).omega;
  if (probe.other >= 0) omega -= stateOf(moment, probe.other).omega;
  return omega;
}

// Sums over the contacts of a body, or of a pair.
struct ContactSum {
  Vector3d normal = Vector3d::Zero();  // on the body [N]
  Vector3d tangent = Vector3d::Zero();
  double normal_total = 0.0;
  double slip = 0.0;
};

ContactSum sumContacts(const Moment& moment, const Probe& probe) {
  ContactSum sum;
  for (const ContactOutcome& contact : moment.contacts) {
    const bool is_b = contact.b == probe.body;
    if (!is_b && contact.a != probe.body) continue;
    if (probe.other >= 0 && (is_b ? contact.a : contact.b) != probe.other) continue;
    const Vector3d force = contact.impulse / moment.dt;
    const double normal = force.dot(contact.normal);
    const double sign = is_b ? 1.0 : -1.0;
    sum.normal += sign * normal * contact.normal;
    sum.tangent += sign * (force - normal * contact.normal);
    sum.normal_total += normal;
    if (contact.state != ContactState::open) sum.slip = std::max(sum.slip, contact.slip.norm());
  }
  return sum;
}

double calcEnergy(const Moment& moment) {
  return moment.world.calcKinetic(moment.state) + moment.world.calcPotential(moment.state);
}

}  // namespace

void ProbeMeter::rememberStart(const Moment& moment) {
  started_ = true;
  if (probe_.body >= 0) {
    start_position_ = calcPosition(moment, probe_);
    start_orientation_ = stateOf(moment, probe_.body).orientation;
  }
  start_energy_ = calcEnergy(moment) - moment.work;
}

double ProbeMeter::measure(const Moment& moment) {
  const QuantityInfo& info = infoOf(probe_.quantity);
  // Half a step early: times add up with rounding.
  if (!started_ && moment.state.time >= probe_.since - 0.5 * moment.dt) rememberStart(moment);
  if (!started_ || (info.is_of_step && !moment.last)) return std::numeric_limits<double>::quiet_NaN();
  if (!info.is_vector) return calcScalar(moment);
  const Vector3d x = calcVector(moment);
  return probe_.along.isZero(0.0) ? x.norm() : x.dot(probe_.along);
}

Vector3d ProbeMeter::calcVector(const Moment& moment) const {
  switch (probe_.quantity) {
    case position: return calcPosition(moment, probe_);
    case displacement: return calcPosition(moment, probe_) - start_position_;
    case velocity: return calcVelocity(moment, probe_);
    case omega: return calcOmega(moment, probe_);
    case turn:
      return logMap(stateOf(moment, probe_.body).orientation * start_orientation_.conjugate());
    case angular_momentum: {
      const InertialState state = moment.world.calcBodyState(probe_.body, moment.state);
      return moment.world.body(probe_.body).inertia().calcMomentum(state.orientation, state.omega);
    }
    case joint_force: return moment.joints[static_cast<std::size_t>(probe_.joint)].force;
    case joint_torque: return moment.joints[static_cast<std::size_t>(probe_.joint)].torque;
    default: {
      const ContactSum sum = sumContacts(moment, probe_);
      return sum.normal + sum.tangent;
    }
  }
}

double ProbeMeter::calcScalar(const Moment& moment) const {
  const QuantityOf of = infoOf(probe_.quantity).of;
  if (of == QuantityOf::actuator) return calcOfActuator(moment, probe_);
  if (of == QuantityOf::joint && probe_.part.exists()) return calcOfTreeJoint(moment, probe_);
  switch (probe_.quantity) {
    case angle:
      return logMap(stateOf(moment, probe_.body).orientation * start_orientation_.conjugate()).norm();
    case tilt: {
      const Vector3d z = stateOf(moment, probe_.body).orientation * Vector3d::UnitZ();
      const Vector3d z0 = start_orientation_ * Vector3d::UnitZ();
      return std::atan2(z.cross(z0).norm(), z.dot(z0));
    }
    case normal_force: return sumContacts(moment, probe_).normal_total;
    case friction_force: return sumContacts(moment, probe_).tangent.norm();
    case friction_ratio: {
      const ContactSum sum = sumContacts(moment, probe_);
      return sum.normal_total > 0.0 ? sum.tangent.norm() / sum.normal_total : 0.0;
    }
    case slip: return sumContacts(moment, probe_).slip;
    case joint_position: return readingOf(moment, probe_.joint).position;
    case joint_rate: return readingOf(moment, probe_.joint).rate;
    case joint_error: return moment.joints[static_cast<std::size_t>(probe_.joint)].error;
    case motor_effort: return moment.joints[static_cast<std::size_t>(probe_.joint)].effort;
    case motor_power: return moment.joints[static_cast<std::size_t>(probe_.joint)].power;
    case kinetic: return moment.world.calcKinetic(moment.state);
    case potential: return moment.world.calcPotential(moment.state);
    case energy: return calcEnergy(moment);
    case work: return moment.work;
    case dissipated: return moment.dissipated;
    case energy_gain: return calcEnergy(moment) - moment.work - start_energy_;
    case penetration: return moment.last->penetration;
    case certificate: return moment.last->relative;
    case contacts: return moment.last->contacts;
    case sticking: return moment.last->sticking;
    case impacts: return moment.last->impacts;
    case inaccurate: return moment.inaccurate_steps;
    default: return moment.unsolved_steps;
  }
}

}  // namespace cornet
