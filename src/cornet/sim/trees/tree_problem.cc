#include "cornet/sim/trees/tree_problem.h"

#include <Eigen/Geometry>

namespace cornet {

// Surroundings, once.
void TreeProblem::append(const StepView& step, int body, std::optional<double> t) {
  if (place_[static_cast<std::size_t>(body)] >= 0) return;
  InertialState state;
  if (t) state = calcStateAt(step, body, *t, *t);
  place_[static_cast<std::size_t>(body)] = static_cast<int>(bodies_.size());
  bodies_.push_back({state});
}

void TreeProblem::begin(const WorldModel& world, const StepView& step, const Island& island, const IslandTrees& trees,
                        std::optional<double> t) {
  trees.collectMasses(problem.M);
  problem.v_free = trees.velocities();
  bodies_.clear();
  place_.assign(static_cast<std::size_t>(world.totalCount()), -1);
  for (const int body : island.bodies) {
    place_[static_cast<std::size_t>(body)] = static_cast<int>(bodies_.size());
    const StepBody& moving = step.bodies[body];
    bodies_.push_back({moving.now, moving.block, moving.asset->mass().gyrationRadius(), trees.jacobianOf(step, body)});
  }
  for (const int index : island.contacts) {
    append(step, step.contacts[index].a, t);
    append(step, step.contacts[index].b, t);
  }
  for (const int index : island.constraints) {
    for (const int body : step.constraints[index].bodies) append(step, body, t);
  }
  assembler_.reset(bodies_, step.h, step.time, AssemblyLevel::velocity, problem);
}

int TreeProblem::addContact(const StepContact& contact, const ContactAt& at, const Vector3d& bias, double mu) {
  ContactPoint point;
  point.body_a = placeOf(contact.a);
  point.body_b = placeOf(contact.b);
  point.p_AC_W = at.arm_a;
  point.p_BC_W = at.arm_b;
  point.normal = at.normal;
  point.bias = bias;
  point.mu = mu;
  point.key = contact.key;
  assembler_.add({&point, 1});
  return problem.rows.blockCount() - 1;
}

int TreeProblem::addRow(const StepContact& contact, const ContactAt& at, const Vector3d& direction, double bias, LawKind kind) {
  PairRows<1> rows;
  rows.bodies = {placeOf(contact.a), placeOf(contact.b)};
  rows.J.row(0) << -direction.transpose(), -at.arm_a.cross(direction).transpose(), direction.transpose(),
      at.arm_b.cross(direction).transpose();
  rows.bias[0] = bias;
  return assembler_.add(rows, kind);
}

int TreeProblem::addRow(int k, const VectorXd& g, double bias, LawKind kind, const LambdaBounds& bounds, double compliance,
                        double share) {
  return assembler_.add(TreeRows{k, g, bias, kind, bounds, compliance, share});
}

void TreeProblem::addConstraint(const StepConstraint& constraint, const MatrixXd& J, const VectorXd& bias, LawKind kind, double h,
                                std::vector<int>& row_of) {
  members_.clear();
  for (const int body : constraint.bodies) members_.push_back(placeOf(body));
  const ReadyRows rows{.bodies = members_,
                       .kind = kind,
                       .impulse = {constraint.bounds.lower * h, constraint.bounds.upper * h},
                       .compliance = kind == LawKind::box ? constraint.compliance : 0.0,
                       .share = kind == LawKind::box ? constraint.share : 1.0,
                       .J = J,
                       .bias = bias,
                       .origin = constraint.index};
  assembler_.add(rows, row_of);
}

}  // namespace cornet
