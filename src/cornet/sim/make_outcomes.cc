#include "cornet/sim/make_outcomes.h"

#include <Eigen/Geometry>

namespace cornet {
namespace {

// As StepContact::sticks(), by squares: a root is what this would wait for.
ContactState stateOf(const StepContact& contact) {
  if (!contact.carries()) return ContactState::open;
  const double limit = contact.mu * contact.normalImpulse() * (1.0 - StepContact::kInside);
  const bool sticks = !contact.slips && contact.tangentImpulse().squaredNorm() < limit * limit;
  return sticks ? ContactState::stick : ContactState::slip;
}

}  // namespace

void makeContactOutcomes(const std::vector<StepContact>& contacts,
                         std::vector<ContactOutcome>& outcomes, std::vector<ContactMoment>& moments) {
  outcomes.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const StepContact& contact = contacts[k];
    const Vector3d slip = contact.u_after - contact.u_after.dot(contact.kick_normal) * contact.kick_normal;
    const ContactState state = stateOf(contact);
    ContactOutcome& outcome = outcomes[k];
    outcome.a = contact.a;
    outcome.b = contact.b;
    outcome.key = contact.key;
    outcome.point = contact.point;
    outcome.arm_a = contact.kick_arm_a;
    outcome.arm_b = contact.kick_arm_b;
    outcome.normal = contact.kick_normal;
    outcome.gap = contact.gap;
    outcome.mu = contact.mu;
    outcome.impulse = contact.impulse;
    outcome.slip = slip;
    outcome.state = state;
    outcome.is_impact = contact.is_impact;
    outcome.is_late = contact.source < 0;
    outcome.residual = contact.residual;
  }
  moments.clear();
  for (const StepContact& contact : contacts) {
    if (contact.moment_a.isZero(0.0) && contact.moment_b.isZero(0.0)) continue;
    moments.push_back({contact.a, contact.b, contact.moment_a, contact.moment_b});
  }
}

void makeTreeOutcomes(const std::vector<StepTree>& trees, std::vector<TreeOutcome>& outcomes) {
  outcomes.resize(trees.size());
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const StepTree& tree = trees[k];
    outcomes[k] = {tree.q, tree.v_start, tree.v, tree.own_impulse, tree.own_work, tree.activation, tree.cache->control, tree.actuator_impulse};
  }
}

void makeConstraintOutcomes(const std::vector<StepConstraint>& constraints, std::vector<ConstraintOutcome>& outcomes) {
  if (outcomes.size() != constraints.size()) outcomes.resize(constraints.size());
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const StepConstraint& constraint = constraints[k];
    ConstraintOutcome& outcome = outcomes[k];
    outcome.is_active = constraint.is_active && constraint.island >= 0;
    constraint.calcTotalImpulse(outcome.impulse);
    if (!outcome.is_active) {
      outcome.bodies.assign(constraint.bodies.size(), {});
      continue;
    }
    outcome.arm = constraint.arm;
    outcome.lag.setZero();
    outcome.bodies.resize(constraint.bodies.size());
    for (std::size_t i = 0; i < outcome.bodies.size(); ++i) {
      const auto place = static_cast<Eigen::Index>(i);
      Eigen::Matrix<double, 6, 1> wrench = constraint.J.middleCols<6>(6 * place).transpose().lazyProduct(constraint.impulse);
      const bool is_b = i == (outcome.bodies.size() > 1 ? 1 : 0);
      if (is_b) outcome.lag -= constraint.taut.segment<3>(3 * place);  // which is no reaction: it acts on B alone
      for (const PoseImpulse& other : constraint.drift_impulses) {
        const auto own = other.wrench.segment<6>(6 * place);
        wrench += own;
        if (is_b) outcome.lag += (constraint.arm - other.arm).cross(Vector3d(own.head<3>()));
      }
      outcome.bodies[i].linear = wrench.head<3>();
      outcome.bodies[i].angular = wrench.tail<3>() + constraint.taut.segment<3>(3 * place);
    }
  }
}

}  // namespace cornet
