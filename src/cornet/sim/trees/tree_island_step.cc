#include "cornet/sim/trees/tree_island_step.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "cornet/base/stopwatch.h"
#include "cornet/math/tangent_basis.h"
#include "cornet/sim/drive_rows.h"

namespace cornet {
namespace {

constexpr int kCuts = 4;
constexpr double kSoon = 1e-9;      // of the step: what is left of it that is not worth a kick
constexpr double kSlides = 7.0;     // a ball of which friction takes μλ_n m⁻¹ 7/2 of its slip, twice
constexpr double kAtTheEdge = 1e-6; // of the cone
constexpr double kLeak = 0.01;      // of impulses from step to step
constexpr double kMoves = 1e-4;     // [m/s], [rad/s] what is slower rests
constexpr double kTurnsAgainst = 1e-3;  // of the faster body's spin: pairs that turn less against each other do not roll

// Whether a contact slid at the end of the last step; of a new one whether what stops its approach cannot stop its slip.
bool slidesOn(const StepContact& contact, const ContactAt& at, double h) {
  const double steady = contact.steady_impulse.dot(at.normal);
  if (steady > 0.0) return tangential(contact.steady_impulse, at.normal).norm() > contact.mu * steady * (1.0 - kAtTheEdge);
  const double approach = std::max(0.0, -(at.normal.dot(at.u) + h * contact.pull));
  return tangential(at.u, at.normal).norm() > kSlides * contact.mu * approach;
}

// Whether it stuck at the end of the last step.
bool stuck(const StepContact& contact, const Vector3d& normal) {
  const double steady = contact.steady_impulse.dot(normal);
  return steady > 0.0 && tangential(contact.steady_impulse, normal).norm() < contact.mu * steady * (1.0 - StepContact::kInside);
}

}  // namespace

TreeIslandStep::TreeIslandStep(const SimulatorOptions& options)
    : options_(options), solver_(options), place_solver_(makeSolver(SolverKind::exact)) {}

IslandReport TreeIslandStep::run(const WorldModel& world, StepView step, const Island& island, const StepMemory& memory) {
  world_ = &world;
  step_ = &step;
  island_ = &island;
  report_ = {};
  trees_.reset(world, step, island);
  trees_.placeBodies(step, island);
  begin(memory);
  double t = 0.0;
  for (int cut = 0;; ++cut) {
    const double rest = step.h - t;
    const double way = cut < kCuts ? findImpact(t) : rest;
    if (way > kSoon * step.h) move(t, way);
    if (way >= rest) break;
    t += way;
    strike(t);
    if (step.h - t <= kSoon * step.h) break;
  }
  finish();
  return std::move(report_);
}

// What contacts begin with, and the rows that trees have of their own.
void TreeIslandStep::begin(const StepMemory& memory) {
  contacts_.assign(island_->contacts.size(), {});
  const double factor = memory.dt > 0.0 ? step_->h / memory.dt : 0.0;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    StepContact& known = contact(k);
    const auto found = std::ranges::lower_bound(memory.contacts, known.key, {}, &ContactMemory::key);
    const bool is_known = found != memory.contacts.end() && found->key == known.key;
    known.steady_impulse = is_known ? Vector3d(factor * found->impulse) : Vector3d(Vector3d::Zero());
    known.impulse.setZero();
    known.moment_a.setZero();
    known.moment_b.setZero();
    known.residual = 0.0;
    known.given = 0.0;
  }
  own_.clear();
  for (int k = 0; k < trees_.count(); ++k) {
    rows_.clear();
    trees_[k].tree->collectRows(*trees_[k].cache, rows_);
    for (const TreeRow& row : rows_) own_.push_back({k, row, row});
  }
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    constraint.impulse.setZero();
    for (PoseImpulse& impulse : constraint.drift_impulses) impulse.reset(constraint.law.constraint());
    constraint.taut.setZero();
  }
}

// Forces at the present pose and velocity, and what implicit ones add to the masses.
void TreeIslandStep::addForces(double h, BlockDiagonalMatrix& A, VectorXd& f, bool with_limited) {
  f.setZero(trees_.dimension());
  for (const int body : island_->bodies) {
    const StepBody& moving = step_->bodies[body];
    Vector6d wrench;
    wrench << moving.force.force, moving.force.torque;
    const StepTree& tree = trees_[moving.block];
    f.segment(trees_.offset(moving.block), tree.v.size()) += trees_.jacobianOf(*step_, body)->transpose() * wrench;
  }
  for (int k = 0; k < trees_.count(); ++k) {
    const StepTree& tree = trees_[k];
    auto own = f.segment(trees_.offset(k), tree.v.size());
    tree.tree->addOwnForce(tree.v, *tree.cache, own);
    stiff_.clear();
    tree.tree->collectStiffTerms(tree.v, *tree.cache, stiff_);
    if (stiff_.empty()) continue;
    const Eigen::LDLT<MatrixXd> M(tree.cache->M);
    for (const StiffTerm& term : stiff_) {
      const bool is_limited = std::isfinite(term.lower) || std::isfinite(term.upper);
      if (is_limited && !with_limited) continue;
      const double rate = term.g.dot(tree.v);
      const ForceLaw law{term.stiffness, term.damping, term.stretch, term.rate};
      const ImplicitForce force = calcImplicitForce(law, rate, term.g.dot(M.solve(term.g)), h, 0.5);
      const double push = -(force.bias + rate) / (force.compliance * h);
      own += (is_limited ? std::clamp(push, term.lower, term.upper) : push) * term.g;
      if (!is_limited) A.block(k) += term.g * term.g.transpose() / force.compliance;
    }
  }
}

// Activations are their means over the interval.
void TreeIslandStep::activate(double t, double h) {
  for (int k = 0; k < trees_.count(); ++k) {
    const StepTree& tree = trees_[k];
    if (tree.tree->activationCount() == 0) continue;
    VectorXd activation = tree.activation_start;
    tree.tree->activate(tree.cache->control, t, activation, tree.cache->activation);
    tree.tree->activate(tree.cache->control, h, activation, tree.cache->activation);
  }
}

// One interval of the step without impacts.
void TreeIslandStep::move(double t, double h) {
  activate(t, h);
  const VectorXd v_begin = trees_.velocities();
  readStart(t);
  trees_.driftToKick(0.5 * h);
  trees_.placeBodies(*step_, *island_);
  const VectorXd v_kick = trees_.velocities();
  assembleKick(t, h, v_begin);
  solve();
  readKick(h);
  takeImpulses(h, false);
  takeOwnImpulses(h, v_kick);
  collectPlaces(t, h);
  trees_.setVelocities(solution_.v);
  trees_.driftFromKick(0.5 * h);
  bend(h, v_begin);
  trees_.placeBodies(*step_, *island_);
  close(t, h);
  settle(t + h);
  for (int k = 0; k < trees_.count(); ++k) {
    StepTree& tree = trees_[k];
    tree.own_work += 0.5 * tree.interval_impulse.dot(v_begin.segment(trees_.offset(k), tree.v.size()) + tree.v);
  }
}

// Gaps, velocities and C where the interval begins.
void TreeIslandStep::readStart(double t) {
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& now = contacts_[k];
    now.start = calcContactAt(*step_, contact(k), t, t);
    const InertialState a = calcStateAt(*step_, contact(k).a, t, t), b = calcStateAt(*step_, contact(k).b, t, t);
    now.on_a = a.orientation.conjugate() * now.start.arm_a;
    now.on_b = b.orientation.conjugate() * now.start.arm_b;
    now.apart = a.orientation.conjugate() * (b.position + now.start.arm_b - a.position - now.start.arm_a);
    now.stays = stuck(contact(k), now.start.normal) && (a.omega - b.omega).norm() <= kTurnsAgainst * std::max(a.omega.norm(), b.omega.norm());
  }
  readOwn();
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    constraint.law.place(step_->time + t, [&](int body) { return calcStateAt(*step_, body, t, t); });
    constraint.C = constraint.law.evaluate();
    constraint.rate_before = constraint.law.calcRate();
  }
}

void TreeIslandStep::readOwn() {
  std::size_t place = 0;
  for (int k = 0; k < trees_.count(); ++k) {
    rows_.clear();
    trees_[k].tree->collectRows(*trees_[k].cache, rows_);
    for (const TreeRow& row : rows_) {
      own_[place].start = row;
      own_[place++].rate = row.g.dot(trees_[k].v);
    }
  }
}

void TreeIslandStep::assembleKick(double t, double h, const VectorXd& v_begin) {
  kick_.begin(*world_, *step_, *island_, trees_, t + h);
  addForces(h, kick_.problem.M, f_, false);
  for (int k = 0; k < trees_.count(); ++k) {
    const Eigen::LDLT<MatrixXd> A(kick_.problem.M.block(k));
    auto v = kick_.problem.v_free.segment(trees_.offset(k), trees_[k].v.size());
    v += A.solve(h * f_.segment(trees_.offset(k), v.size()));
  }
  addContactRows(t, h);
  addOwnRows(h, v_begin);
  addStiffRows(h);
  addConstraintRows(t, h);
  kick_.finish();
  // Where the last step ended is where this one begins. What moves forgets some of it: friction of contacts that pull against
  // each other and do nothing else would pile up until it breaks a grip.
  const bool moves = v_begin.lpNorm<Eigen::Infinity>() > kMoves;
  const double kept = (moves ? 1.0 - kLeak : 1.0) * h / step_->h;
  solution_.lambda.setZero(kick_.problem.rows.rowCount());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    if (contacts_[k].block < 0) continue;
    const ConstraintRows& rows = kick_.problem.rows;
    const int size = rows.size(contacts_[k].block);
    const Vector3d impulse = kept * (makeContactAxes(contacts_[k].kick.normal).transpose() * contact(k).steady_impulse);
    solution_.lambda.segment(rows.offset(contacts_[k].block), size) = impulse.head(size);
  }
}

void TreeIslandStep::addContactRows(double t, double h) {
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& now = contacts_[k];
    const StepContact& known = contact(k);
    now.block = -1;
    now.kick = calcContactAt(*step_, known, t + 0.5 * h, t);
    now.u_turned = transport(now.start.u, now.start.normal, now.kick.normal);
    if (now.hits) continue;
    const Vector3d& n = now.kick.normal;
    Vector3d turning = now.kick.u - now.u_turned;
    // Friction acts against the slip of the kick pose where it does not end it; only what sticks must stick at the end.
    if (slidesOn(known, now.kick, h)) turning = n.dot(turning) * n;
    now.wanted = now.start.gap > StepContact::kClosed ? -now.start.gap / h : 0.0;
    // What may rebound is not held before it hits: its way is that of the mean velocity.
    if (known.restitution > 0.0 && now.start.gap > StepContact::kTouching) {
      now.wanted = std::min(now.wanted, 2.0 * now.wanted - now.start.normal.dot(now.start.u));
    }
    const Vector3d belt = calcEndBelt(step_->bodies[known.a], step_->bodies[known.b], n);
    Vector3d bias = makeContactAxes(n).transpose() * (turning + belt);
    bias[0] -= now.wanted;
    now.block = kick_.addContact(known, now.kick, bias, known.mu);
  }
}

void TreeIslandStep::addOwnRows(double h, const VectorXd& v_begin) {
  std::size_t place = 0;
  for (int k = 0; k < trees_.count(); ++k) {
    const StepTree& tree = trees_[k];
    rows_.clear();
    tree.tree->collectRows(*tree.cache, rows_);
    for (const TreeRow& row : rows_) {
      OwnRow& own = own_[place++];
      own.now = row;
      own.block = -1;
      if (own.hits || !(row.g.norm() > 0.0)) continue;
      if (row.kind == TreeRow::Kind::limit) {
        own.block = kick_.addRow(k, row.g, std::max(0.0, own.start.C) / h, LawKind::unilateral);
      } else if (row.kind == TreeRow::Kind::friction) {
        own.block = kick_.addRow(k, row.g, 0.0, LawKind::box, {-h * row.most, h * row.most});
      } else {
        const double turning = row.g.dot(tree.v) - own.start.g.dot(v_begin.segment(trees_.offset(k), tree.v.size()));
        own.block = kick_.addRow(k, row.g, turning, LawKind::equality);
      }
    }
  }
}

// (TREE-7)
void TreeIslandStep::addStiffRows(double h) {
  actuator_rows_.clear();
  for (int k = 0; k < trees_.count(); ++k) {
    const StepTree& tree = trees_[k];
    stiff_.clear();
    tree.tree->collectStiffTerms(tree.v, *tree.cache, stiff_);
    if (stiff_.empty()) continue;
    const Eigen::LDLT<MatrixXd> M(tree.cache->M);
    for (const StiffTerm& term : stiff_) {
      if (!std::isfinite(term.lower) && !std::isfinite(term.upper)) continue;
      const ForceLaw law{term.stiffness, term.damping, term.stretch, term.rate};
      const ImplicitForce force = calcImplicitForce(law, term.g.dot(tree.v), term.g.dot(M.solve(term.g)), h, 0.5);
      const int block = kick_.addRow(k, term.g, force.bias, LawKind::box, {h * term.lower, h * term.upper}, force.compliance, force.share);
      if (term.actuator >= 0) actuator_rows_.push_back({block, k, term.actuator});
    }
  }
}

void TreeIslandStep::addConstraintRows(double t, double h) {
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    turnConstraint(step_->time + t, h, 0.5, step_->bodies, constraint);
    if (constraint.kind == LawKind::equality) {
      const auto stateOf = [&](int body) { return calcStateAt(*step_, body, t + 0.5 * h, t); };
      constraint.law.place(step_->time + t + 0.5 * h, stateOf);
      constraint.bias += calcRate(constraint.J, constraint.law.states()) - constraint.rate_before;
    }
    if (constraint.force) {
      double inverse_mass = 0.0;
      for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
        const int body = constraint.bodies[i];
        if (!step_->bodies[body].moves()) continue;
        const Vector6d on_body = constraint.J.row(0).segment<6>(static_cast<Eigen::Index>(6 * i)).transpose();
        const VectorXd g = trees_.jacobianOf(*step_, body)->transpose() * on_body;
        inverse_mass += g.dot(trees_[step_->bodies[body].block].cache->M.ldlt().solve(g));
      }
      const ImplicitForce force = calcImplicitForce(*constraint.force, constraint.kick_rate, inverse_mass, h, 0.5);
      constraint.bias[0] = force.bias;
      constraint.compliance = force.compliance;
      constraint.share = force.share;
    }
    kick_.addConstraint(constraint, constraint.J, constraint.bias, constraint.kind, h, constraint.row_of);
  }
}

void TreeIslandStep::solve() {
  const Stopwatch clock;
  const SolveStatus status = solver_.solve(kick_.problem, solution_);
  if (status != SolveStatus::solved) report_.status = solver_.isJammed(kick_.problem) ? SolveStatus::infeasible : status;
  report_.relative = std::max(report_.relative, solution_.certificate.relativeAboveFloor());
  report_.velocity_error = std::max(report_.velocity_error, solution_.certificate.absolute_velocity);
  report_.impulse_error = std::max(report_.impulse_error, solution_.certificate.absolute_impulse);
  report_.iterations += solution_.iterations;
  report_.factorizations += solution_.factorizations;
  report_.solve_seconds += clock.seconds();
  const bool missed = status != SolveStatus::solved;
  if (step_->kept == KeptKicks::none || (step_->kept == KeptKicks::missed && !missed)) return;
  report_.record = std::make_unique<KickRecord>();
  report_.record->time = step_->time;
  report_.record->problem = kick_.problem;
  report_.record->start = VectorXd::Zero(solution_.lambda.size());
  report_.record->solution = solution_;
}

// J M⁻¹Jᵀ of each row.
void TreeIslandStep::calcInverseMasses(const ContactProblem& problem, VectorXd& result) {
  factors_.resize(static_cast<std::size_t>(problem.M.blockCount()));
  for (int k = 0; k < problem.M.blockCount(); ++k) factors_[static_cast<std::size_t>(k)].compute(problem.M.block(k));
  result.setZero(problem.rows.rowCount());
  for (int block = 0; block < problem.rows.blockCount(); ++block) {
    for (int k = problem.J.begin(block); k < problem.J.end(block); ++k) {
      const MatrixXd J = problem.J.block(block, k);
      const MatrixXd moved = factors_[static_cast<std::size_t>(problem.J.column(k))].solve(J.transpose());
      result.segment(problem.rows.offset(block), problem.rows.size(block)) += (J.transpose().cwiseProduct(moved)).colwise().sum();
    }
  }
}

// Which contacts carry and stick, and how far those slipped that come to stick.
void TreeIslandStep::readKick(double h) {
  const ConstraintRows& rows = kick_.problem.rows;
  const double slip = StepContact::kSlip + 10.0 * solution_.certificate.absolute_velocity;
  slips_.clear();
  calcInverseMasses(kick_.problem, inverse_mass_);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& now = contacts_[k];
    now.holds = now.sticks = false;
    now.slip.setZero();
    if (now.block < 0) continue;
    const int first = rows.offset(now.block), size = rows.size(now.block);
    now.inverse_mass = inverse_mass_[first];
    now.holds = solution_.lambda[first] * now.inverse_mass > solution_.u[first];
    if (!now.holds || size < 3) continue;
    const Eigen::Vector2d friction = solution_.lambda.segment<2>(first + 1);
    const double limit = contact(k).mu * solution_.lambda[first];
    now.sticks = friction.norm() < limit * (1.0 - StepContact::kInside) && solution_.u.segment<2>(first + 1).norm() <= slip;
    const Vector3d before = tangential(now.u_turned, now.kick.normal);
    const Vector3d along = makeContactAxes(now.kick.normal).rightCols<2>() * friction;
    PairSlip& pair = slips_[{contact(k).a, contact(k).b}];
    pair.work -= along.dot(before);
    pair.limit += limit * before.norm();
    now.slip = 0.5 * before;
  }
  // How long a pair of bodies slips before it sticks: f_p of all its contacts.
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const PairSlip& pair = slips_[{contact(k).a, contact(k).b}];
    contacts_[k].slip *= pair.limit > 0.0 ? std::clamp(pair.work / pair.limit, 0.0, 1.0) : 0.0;
  }
  findHeldPairs();
  for (OwnRow& own : own_) {
    own.holds = false;
    if (own.block < 0) continue;
    const double lambda = lambdaOf(own.block), u = solution_.u[rows.offset(own.block)];
    if (own.now.kind == TreeRow::Kind::limit) own.holds = lambda * inverse_mass_[rows.offset(own.block)] > u;
    if (own.now.kind == TreeRow::Kind::friction) own.holds = std::abs(lambda) < h * own.now.most * (1.0 - StepContact::kInside);
    if (own.now.kind == TreeRow::Kind::equality) own.holds = true;
  }
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    for (std::size_t k = 0; k < constraint.row_of.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      constraint.u_after[row] = constraint.row_of[k] < 0 ? 0.0 : solution_.u[constraint.row_of[k]];
      constraint.inverse_mass[row] = constraint.row_of[k] < 0 ? 0.0 : inverse_mass_[constraint.row_of[k]];
    }
  }
}

// Contacts that stay on the same points: of pairs with two or more that stick.                (TREE-9)
void TreeIslandStep::findHeldPairs() {
  sticking_.clear();
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const StepContact& known = contact(k);
    contacts_[k].stays &= contacts_[k].sticks && calcBelt(step_->bodies[known.a], step_->bodies[known.b], contacts_[k].kick.normal).isZero(0.0);
    sticking_[{known.a, known.b}] += contacts_[k].stays;
  }
  for (std::size_t k = 0; k < contacts_.size(); ++k) contacts_[k].stays &= sticking_[{contact(k).a, contact(k).b}] >= 2;
}

// How far B's point has come from where A carries it, t after the start of the step.
Vector3d TreeIslandStep::calcCreep(const StepContact& known, const Contact& now, double t) const {
  const InertialState a = calcStateAt(*step_, known.a, t, t), b = calcStateAt(*step_, known.b, t, t);
  return b.position + b.orientation * now.on_b - a.position - a.orientation * (now.on_a + now.apart);
}

// Adds what the problem's impulses did. Earlier ones of a contact acted at other arms: moments make up for it.
void TreeIslandStep::takeImpulses(double h, bool is_strike) {
  const ConstraintRows& rows = kick_.problem.rows;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& now = contacts_[k];
    if (now.block < 0) continue;
    StepContact& known = contact(k);
    const int size = rows.size(now.block);
    const Vector3d impulse = makeContactAxes(now.kick.normal).leftCols(size) * solution_.lambda.segment(rows.offset(now.block), size);
    if (!known.impulse.isZero(0.0)) {
      known.moment_a -= (known.kick_arm_a - now.kick.arm_a).cross(known.impulse);
      known.moment_b += (known.kick_arm_b - now.kick.arm_b).cross(known.impulse);
    }
    known.kick_arm_a = now.kick.arm_a;
    known.kick_arm_b = now.kick.arm_b;
    known.kick_normal = now.kick.normal;
    known.inverse_mass = now.inverse_mass;
    known.impulse += impulse;
    known.point = calcStateAt(*step_, known.b, 0.0, 0.0).position + now.kick.arm_b;
    if (!is_strike) known.next_impulse = known.rest_impulse = step_->h / h * impulse;
    const std::size_t block = static_cast<std::size_t>(now.block);
    if (block < solution_.certificate.blocks.size()) {
      known.residual = std::max(known.residual, solution_.certificate.blocks[block].velocity);
    }
  }
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    if (!constraint.impulse.isZero(0.0)) {  // of an earlier interval, at its own pose
      PoseImpulse& earlier = constraint.at(JointStage::left_start);
      earlier.rows += constraint.impulse;
      earlier.wrench += constraint.kick_wrench;
      earlier.arm = constraint.arm;
    }
    for (std::size_t k = 0; k < constraint.row_of.size(); ++k) {
      const int row = constraint.row_of[k];
      constraint.impulse[static_cast<Eigen::Index>(k)] = row < 0 ? 0.0 : solution_.lambda[row];
    }
    constraint.kick_wrench = constraint.J.transpose() * constraint.impulse;
  }
}

// What the tree's own forces did in the kick, each by its law: those in A by the change of velocity that they saw, rows by λ.
void TreeIslandStep::takeOwnImpulses(double h, const VectorXd& v_kick) {
  const ContactProblem& problem = kick_.problem;
  for (int k = 0; k < trees_.count(); ++k) {
    StepTree& tree = trees_[k];
    const VectorXd change = (solution_.v - v_kick).segment(trees_.offset(k), tree.v.size());
    tree.interval_impulse.setZero(tree.v.size());
    tree.tree->addOwnForce(tree.v, *tree.cache, tree.interval_impulse);
    tree.interval_impulse *= h;
    VectorXd given = VectorXd::Zero(tree.actuator_impulse.size());
    tree.tree->addActuatorForces(tree.v, *tree.cache, given);
    tree.actuator_impulse += h * given;
    stiff_.clear();
    tree.tree->collectStiffTerms(tree.v, *tree.cache, stiff_);
    if (stiff_.empty()) continue;
    const Eigen::LDLT<MatrixXd> M(tree.cache->M);
    for (const StiffTerm& term : stiff_) {
      if (std::isfinite(term.lower) || std::isfinite(term.upper)) continue;
      const double rate = term.g.dot(tree.v);
      const ForceLaw law{term.stiffness, term.damping, term.stretch, term.rate};
      const ImplicitForce force = calcImplicitForce(law, rate, term.g.dot(M.solve(term.g)), h, 0.5);
      const double impulse = -(force.bias + rate + term.g.dot(change)) / force.compliance;
      tree.interval_impulse += impulse * term.g;
      if (term.actuator >= 0) tree.actuator_impulse[term.actuator] += impulse;
    }
  }
  for (int block = 0; block < problem.rows.blockCount(); ++block) {
    const auto place = static_cast<std::size_t>(block);
    if (problem.rows.kind[place] != LawKind::box || problem.rows.origin[place].kind != Origin::Kind::joint) continue;
    const int entry = problem.J.begin(block);
    trees_[problem.J.column(entry)].interval_impulse += problem.J.block(block, entry).transpose() * solution_.lambda[problem.rows.offset(block)];
  }
  for (const ActuatorRow& row : actuator_rows_) trees_[row.tree].actuator_impulse[row.actuator] += lambdaOf(row.block);
  for (int k = 0; k < trees_.count(); ++k) trees_[k].own_impulse += trees_[k].interval_impulse;
}

// What the step tells of contacts and bodies. Energy that rotors take up is work that links do not get.
void TreeIslandStep::finish() {
  for (int k = 0; k < trees_.count(); ++k) {
    StepTree& tree = trees_[k];
    tree.own_work += tree.tree->calcRotorEnergy(tree.v_start) - tree.tree->calcRotorEnergy(tree.v);
  }
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    StepContact& known = contact(k);
    const ContactAt end = calcContactAt(*step_, known, step_->h, step_->h);
    known.u_after = end.u;
    known.wanted_after = 0.0;
    known.slips = contacts_[k].holds && !contacts_[k].sticks;
  }
  for (const int body : island_->bodies) {
    StepBody& moved = step_->bodies[body];
    moved.displacement = (moved.now.position - moved.start.position) / step_->h;
    moved.turning = logMap(moved.now.orientation * moved.start.orientation.conjugate()) / step_->h;
  }
}

}  // namespace cornet
