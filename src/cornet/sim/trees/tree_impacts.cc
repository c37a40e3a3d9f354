// Which contacts and limits of an island close first, when, and what they do then.               (TREE-6)
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "cornet/math/tangent_basis.h"
#include "cornet/sim/energy_change.h"
#include "cornet/sim/trees/tree_island_step.h"

namespace cornet {
namespace {

constexpr double kAccuracy = 1e-12;   // [m]
constexpr int kHitIterations = 12;
constexpr double kTogether = 1e-9;    // of the step: what hits so soon after the first hits with it
constexpr int kCapHalvings = 30;
constexpr double kNever = std::numeric_limits<double>::infinity();

// The first t > 0 with x + t u + ½t² a = 0, from x ≥ 0.
double calcFirstZero(double x, double u, double a) {
  const double root = u * u - 2.0 * a * x;
  if (root < 0.0 || (u >= 0.0 && a >= 0.0)) return kNever;
  return 2.0 * x / (std::sqrt(root) - u);
}

}  // namespace

VectorXd TreeIslandStep::calcAcceleration() {
  trees_.collectMasses(kick_.problem.M);
  addForces(step_->h, kick_.problem.M, f_, true);
  for (const OwnRow& own : own_) {  // dry friction acts against what moves
    if (own.start.kind != TreeRow::Kind::friction || own.rate == 0.0) continue;
    f_.segment(trees_.offset(own.tree), own.start.g.size()) -= std::copysign(own.start.most, own.rate) * own.start.g;
  }
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const StepContact& known = contact(k);
    if (known.steady_impulse.isZero(0.0)) continue;
    for (const bool on_b : {false, true}) {
      const int body = on_b ? known.b : known.a;
      if (!step_->bodies[body].moves()) continue;
      Vector6d wrench;
      const Vector3d force = (on_b ? 1.0 : -1.0) / step_->h * known.steady_impulse;
      wrench << force, (on_b ? contacts_[k].start.arm_b : contacts_[k].start.arm_a).cross(force);
      const int tree = step_->bodies[body].block;
      f_.segment(trees_.offset(tree), trees_[tree].v.size()) += trees_.jacobianOf(*step_, body)->transpose() * wrench;
    }
  }
  for (int k = 0; k < trees_.count(); ++k) {
    const StepTree& tree = trees_[k];
    c_.resize(tree.v.size());
    tree.tree->calcCoriolis(tree.v, *tree.cache, c_);
    auto a = f_.segment(trees_.offset(k), tree.v.size());
    a = kick_.problem.M.block(k).ldlt().solve(a - c_).eval();
  }
  return f_;
}

// Time of one contact, by the secant method along the way.
double TreeIslandStep::findImpactOf(std::size_t k, double rest, double t, const VectorXd& a) {
  const ContactAt& start = contacts_[k].start;
  double s0 = 0.0, g0 = start.gap;
  double s = std::min(rest, start.gap / -start.normal.dot(start.u));
  for (int iteration = 0; iteration < kHitIterations; ++iteration) {
    trees_.lookAlong(s, a);
    trees_.placeBodies(*step_, *island_);
    const double gap = calcContactAt(*step_, contact(k), t + s, t).gap;
    if (std::abs(gap) <= kAccuracy) return s;
    if (s >= rest && gap > 0.0) return kNever;
    const double next = s - gap * (s - s0) / (gap - g0);
    if (!(next > 0.0)) return kNever;
    s0 = s;
    g0 = gap;
    s = std::min(next, rest);
    if (s == s0) return kNever;
  }
  return s;
}

// How long until something hits, the rest of the step if nothing does; marks what hits then.
double TreeIslandStep::findImpact(double t) {
  const double h = step_->h, rest = h - t;
  const double gravity = world_->gravity.norm();
  std::vector<double> times(contacts_.size() + own_.size(), kNever);
  std::vector<std::size_t> near;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const StepContact& known = contact(k);
    contacts_[k].start = calcContactAt(*step_, known, t, t);
    const ContactAt& at = contacts_[k].start;
    const double approach = -at.normal.dot(at.u);
    const double pull = known.restitution > 0.0 ? 0.0 : gravity;
    if (!(approach > std::max(options_.impact_speed, 0.5 * h * pull))) continue;
    if (at.gap <= StepContact::kTouching) {
      const bool has_carried = known.steady_impulse.dot(at.normal) > 0.0;
      if (!has_carried) times[k] = 0.0;
    } else if (at.gap < 2.0 * rest * approach) {
      near.push_back(k);
    }
  }
  readOwn();
  std::vector<std::size_t> near_limits;
  for (std::size_t k = 0; k < own_.size(); ++k) {
    const OwnRow& own = own_[k];
    if (own.start.kind != TreeRow::Kind::limit || !(own.rate < -options_.impact_speed)) continue;
    if (own.start.C > 0.0 && own.start.C < -2.0 * rest * own.rate) near_limits.push_back(k);
  }
  if (!near.empty() || !near_limits.empty()) {
    const VectorXd a = calcAcceleration();
    for (const std::size_t k : near_limits) {
      const OwnRow& own = own_[k];
      const double pull = own.start.g.dot(a.segment(trees_.offset(own.tree), own.start.g.size()));
      times[contacts_.size() + k] = calcFirstZero(own.start.C, own.rate, pull);
    }
    for (const std::size_t k : near) times[k] = findImpactOf(k, rest, t, a);
    trees_.comeBack(TreeLevel::dynamics);
    trees_.placeBodies(*step_, *island_);
  }
  const double first = times.empty() ? kNever : *std::ranges::min_element(times);
  if (!(first < rest)) return rest;
  for (std::size_t k = 0; k < contacts_.size(); ++k) contacts_[k].hits = times[k] <= first + kTogether * h;
  for (std::size_t k = 0; k < own_.size(); ++k) own_[k].hits = times[contacts_.size() + k] <= first + kTogether * h;
  return first;
}

// All that is closed, and what hits, at one instant.
void TreeIslandStep::assembleStrike(double t, double scale) {
  kick_.begin(*world_, *step_, *island_, trees_, t);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& now = contacts_[k];
    const StepContact& known = contact(k);
    now.kick = calcContactAt(*step_, known, t, t);
    now.block = -1;
    const double u_n = now.kick.normal.dot(now.kick.u);
    if (!now.hits && now.kick.gap > StepContact::kTouching) continue;
    now.wanted = now.hits ? -scale * known.restitution * std::min(0.0, u_n) : 0.0;
    const Vector3d belt = calcBelt(step_->bodies[known.a], step_->bodies[known.b], now.kick.normal);
    Vector3d bias = makeContactAxes(now.kick.normal).transpose() * belt;
    bias[0] -= now.wanted;
    now.block = kick_.addContact(known, now.kick, bias, known.mu);
  }
  std::size_t place = 0;
  for (int k = 0; k < trees_.count(); ++k) {
    rows_.clear();
    trees_[k].tree->collectRows(*trees_[k].cache, rows_);
    for (const TreeRow& row : rows_) {
      OwnRow& own = own_[place++];
      own.block = -1;
      const bool is_closed = row.kind == TreeRow::Kind::equality ||
                             (row.kind == TreeRow::Kind::limit && (own.hits || row.C <= StepContact::kTouching));
      if (!is_closed || !(row.g.norm() > 0.0)) continue;
      own.block = kick_.addRow(k, row.g, 0.0, row.kind == TreeRow::Kind::limit ? LawKind::unilateral : LawKind::equality);
    }
  }
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    constraint.row_of.assign(static_cast<std::size_t>(constraint.law.constraint().dimension()), -1);
    if (constraint.kind == LawKind::box) continue;
    PlacedConstraint& law = constraint.law;
    law.place(step_->time + t, [&](int body) { return calcStateAt(*step_, body, t, t); });
    if (constraint.kind == LawKind::unilateral && law.evaluate().minCoeff() > StepContact::kTouching) continue;
    constraint.J = law.calcJacobian();
    kick_.addConstraint(constraint, constraint.J, -law.calcTargetRate(), constraint.kind, step_->h, constraint.row_of);
  }
  kick_.finish();
  solution_.lambda.setZero(kick_.problem.rows.rowCount());
}

void TreeIslandStep::strike(double t) {
  const VectorXd v = trees_.velocities();
  const auto kineticOf = [&](const VectorXd& velocities) {
    VectorXd momentum;
    kick_.problem.M.multiply(velocities, momentum);
    return 0.5 * velocities.dot(momentum);
  };
  assembleStrike(t, 1.0);
  solve();
  // Newton's law of restitution may gain energy: as much of it as does not.
  const double before = kineticOf(v);
  double low = 0.0, high = 1.0;
  if (options_.energy_cap && kineticOf(solution_.v) > before * (1.0 + kEnergyRounding)) {
    report_.corrections.capped = 1;
    for (int k = 0; k < kCapHalvings; ++k) {
      const double middle = 0.5 * (low + high);
      assembleStrike(t, middle);
      solve();
      (kineticOf(solution_.v) > before ? high : low) = middle;
    }
    assembleStrike(t, low);
    solve();
    report_.corrections.cap = std::max(report_.corrections.cap, 1.0 - low);
  }
  calcInverseMasses(kick_.problem, inverse_mass_);
  for (Contact& now : contacts_) {
    if (now.block >= 0) now.inverse_mass = inverse_mass_[kick_.problem.rows.offset(now.block)];
  }
  takeImpulses(step_->h, true);
  trees_.setVelocities(solution_.v);
  trees_.placeBodies(*step_, *island_);
  for (Contact& now : contacts_) now.hits = false;
  for (OwnRow& own : own_) own.hits = false;
}

}  // namespace cornet
