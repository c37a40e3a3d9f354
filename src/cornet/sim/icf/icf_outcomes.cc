// What an ICF step reports: impulses of the accepted solve, and the certificate.
#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "cornet/base/stopwatch.h"
#include "cornet/sim/icf/icf_step.h"

namespace cornet {
namespace {

constexpr double kCreeps = 10.0;  // in softenings ε: what is faster slides

}  // namespace

void ModelDistance::add(const ModelDistance& other) {
  creep = std::max(creep, other.creep);
  overlap = std::max(overlap, other.overlap);
  joint_error = std::max(joint_error, other.joint_error);
  friction = std::max(friction, other.friction);
}

void IcfStep::makeContacts() {
  contacts.resize(static_cast<std::size_t>(model_.patches.contactCount()));
  const PatchConstraintsPool& patches = model_.patches;
  for (int k = 0; k < patches.contactCount(); ++k) {
    const IcfContact& contact = patches.contact(k);
    const PatchConstraintsPool::Item& item = patches.item(patches.placeOf(k));
    ContactOutcome& outcome = contacts[static_cast<std::size_t>(k)];
    const Vector3d u = patches.velocity(data_.patches, k);
    outcome = {};
    outcome.a = contact.A;
    outcome.b = contact.B;
    outcome.key = found_.key[k];
    outcome.point = contact.p_WC;
    outcome.arm_a = contact.p_WC - bodies_[contact.A].start.position;
    outcome.arm_b = contact.p_WC - bodies_[contact.B].start.position;
    outcome.normal = contact.normal;
    outcome.gap = found_.gap[k];
    outcome.mu = item.law.mu;
    outcome.impulse = patches.impulse(data_.patches, k);
    outcome.slip = u - u.dot(contact.normal) * contact.normal;
    outcome.stiffness = contact.stiffness;
    const bool carries = outcome.normalImpulse() > 0.0;
    const bool creeps = outcome.slip.norm() < kCreeps * std::max(item.law.epsilon, options_.stiction_speed);
    outcome.state = !carries ? ContactState::open : creeps ? ContactState::stick : ContactState::slip;
    outcome.is_impact = carries && outcome.gap > 0.0;
  }
  // How far the velocity at which the laws hold is from that of the bodies.
  v_.swap(data_.v());
  calcTwists(model_, all_.reset(model_).bodies, data_.motion);
  for (int k = 0; k < patches.contactCount(); ++k) {
    ContactOutcome& outcome = contacts[static_cast<std::size_t>(k)];
    const auto velocityOf = [&](int body, const Vector3d& arm) -> Vector3d {
      return model_.bodies.tree(body) < 0 ? Vector3d(Vector3d::Zero()) : Vector3d(shiftTwist(data_.motion.twists[body], arm).head<3>());
    };
    const Vector3d u = velocityOf(outcome.b, outcome.arm_b) - velocityOf(outcome.a, outcome.arm_a) + patches.contact(k).surface_velocity;
    outcome.residual = (u - patches.velocity(data_.patches, k)).norm();
  }
  v_.swap(data_.v());
}

void IcfStep::makeConstraints() {
  constraints.resize(rows_.size());
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    StepConstraint& constraint = rows_[c];
    ConstraintOutcome& outcome = constraints[c];
    outcome.is_active = constraint.is_active;
    outcome.impulse.setZero(constraint.law.constraint().dimension());
    outcome.bodies.assign(constraint.bodies.size(), {});
    if (!constraint.is_active) continue;
    for (Eigen::Index k = 0; k < outcome.impulse.size(); ++k) outcome.impulse[k] = IcfBuilder::impulseOf(builder_.rowOf(constraint, k), data_);
    outcome.arm = constraint.law.calcReading().point - constraint.law.stateOfB().position;
    for (std::size_t i = 0; i < outcome.bodies.size(); ++i) {
      const Vector6d wrench = constraint.J.middleCols<6>(static_cast<Eigen::Index>(6 * i)).transpose().lazyProduct(outcome.impulse);
      outcome.bodies[i] = {wrench.head<3>(), wrench.tail<3>()};
    }
  }
}

// The tree's own forces: springs, drives and dry friction, at the velocity of the kick.
void IcfStep::makeTrees(double dt) {
  trees.resize(trees_.size());
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    StepTree& tree = trees_[k];
    VectorXd own = VectorXd::Zero(tree.v.size());
    tree.tree->evaluate(tree.q_start, TreeLevel::dynamics, *tree.cache);
    tree.tree->addOwnForce(tree.v_start, *tree.cache, own);
    own *= dt;
    tree.actuator_impulse.setZero(static_cast<Eigen::Index>(tree.tree->actuators().size()));
    tree.tree->addActuatorForces(tree.v_start, *tree.cache, tree.actuator_impulse);
    tree.actuator_impulse *= dt;
    for (const IcfBuilder::TreeGain& gain : builder_.treeGains()) {
      if (gain.tree != static_cast<int>(k)) continue;
      const double impulse = IcfBuilder::impulseOf(gain.place, data_);
      own += impulse * gain.g;
      if (gain.actuator >= 0) tree.actuator_impulse[gain.actuator] += impulse;
    }
    const auto v = v_.segment(model_.trees.start(world_.freeCount() + static_cast<int>(k)), own.size());
    trees[k] = {tree.q, tree.v_start, tree.v, own, own.dot(v), tree.activation, tree.cache->control, tree.actuator_impulse};
  }
}

// Forces as they acted: drag and what was taken implicitly, at the velocity of the kick.
void IcfStep::takeDampingOff() {
  for (int i = 0; i < world_.freeCount(); ++i) {
    const Vector6d taken = model_.trees.damping(i).cwiseProduct(v_.segment<6>(6 * i) - model_.trees.v0(i));
    forces_[static_cast<std::size_t>(i)].force -= taken.head<3>();
    forces_[static_cast<std::size_t>(i)].torque -= taken.tail<3>();
  }
}

void IcfStep::judge(double dt, StepReport& report) {
  takeDampingOff();
  lookAhead(dt);
  certifier_.judge({.before = before, .after = after, .dt = dt, .forces = forces_, .contacts = contacts, .moments = {},
                    .constraints = constraints, .found_before = found_, .found_after = next_found_, .trees = trees, .is_compliant = true},
                   report.certificate);
  joint_reader_.calcOutcomes(before, after, dt, constraints, joints);
  for (const ContactOutcome& contact : contacts) {
    ++report.contacts;
    report.penetration = std::max(report.penetration, -contact.gap);
    report.closed += contact.state != ContactState::open;
    report.sticking += contact.state == ContactState::stick;
    report.impacts += contact.is_impact;
  }
  for (int i = 0; i < world_.freeCount(); ++i) {
    const double size = world_.body(i).size(), mass = world_.body(i).mass().mass;
    const auto error = error_.segment<6>(6 * i);
    report.velocity_error = std::max({report.velocity_error, error.head<3>().norm(), size * error.tail<3>().norm()});
    report.impulse_error = std::max({report.impulse_error, mass * error.head<3>().norm(), mass * size * error.tail<3>().norm()});
  }
  for (const ContactOutcome& contact : contacts) report.velocity_error = std::max(report.velocity_error, contact.residual);
  measureDistance(report);
  if (report.status == SolveStatus::solved && !report.certificate.meets(boundsOf(options_))) report.status = SolveStatus::inaccurate;
}

void IcfStep::measureDistance(StepReport& report) const {
  ModelDistance& distance = report.distance;
  for (const ContactOutcome& contact : contacts) {
    if (contact.state == ContactState::stick) distance.creep = std::max(distance.creep, contact.slip.norm());
    distance.friction = std::max(distance.friction, contact.tangentImpulse().norm() - contact.mu * contact.normalImpulse());
  }
  for (const double gap : next_found_.gap) distance.overlap = std::max(distance.overlap, -gap);
  for (const JointOutcome& joint : joints) distance.joint_error = std::max(distance.joint_error, joint.error);
}

}  // namespace cornet
