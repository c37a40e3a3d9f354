#include "cornet/sim/places.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

namespace cornet {
namespace {

constexpr double kReach = 4.0;               // times the speeds before and after: how much of a way rows may bend
constexpr std::array kRanks = {1e-3, 1e-1, 2.0};  // of contacts that joints leave less and less room, or none
constexpr double kVelocityRounding = 1e-13;  // [m/s], and of the velocities: residuals below are rounding

}  // namespace

bool Places::holds(const StepContact& contact) {
  const bool rebounds = contact.is_impact && contact.wanted_after > 0.0;
  return contact.endsActive() && !rebounds;
}

Places::Places(const SimulatorOptions& options)
    : recovery_(options.recovery), lifts_(options), pass_(HeldRows::kProximal) {}

// ---- the way of drifts and forces

// What contacts that were there before the impact go on doing all through the step, as forces do, and drives.
void Places::addSteadyImpulses(const StepView& step, const Island& island, double factor) {
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    const double steady = contact.steady_impulse.norm();
    if (contact.is_impact || !(steady > 0.0)) continue;
    const Vector3d impulse =
        factor * std::min(1.0, contact.impulse.norm() / steady) * contact.steady_impulse;
    for (const bool on_b : {false, true}) {
      const StepBody& body = step.bodies[on_b ? contact.b : contact.a];
      if (!body.moves()) continue;
      const Vector3d& arm = on_b ? contact.kick_arm_b : contact.kick_arm_a;
      const double sign = on_b ? 1.0 : -1.0;
      w_.segment<3>(6 * body.block) += sign / body.asset->mass().mass * impulse;
      w_.segment<3>(6 * body.block + 3) += sign * (body.inverse_inertia * arm.cross(impulse));
    }
  }
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    if (constraint.kind != LawKind::box) continue;
    for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
      const StepBody& body = step.bodies[constraint.bodies[i]];
      if (!body.moves()) continue;
      const Vector6d impulse = factor * (constraint.J.middleCols<6>(static_cast<Eigen::Index>(6 * i)).transpose() * constraint.impulse);
      w_.segment<3>(6 * body.block) += impulse.head<3>() / body.asset->mass().mass;
      w_.segment<3>(6 * body.block + 3) += body.inverse_inertia * impulse.tail<3>();
    }
  }
}

void Places::findReach(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus) {
  reach_ = kReach * (calcLargestMove(step, island, problem.velocity()) + calcLargestMove(step, island, v_plus) +
                     step.h * calcLargestMove(step, island, problem.acceleration()));
}

void Places::hold(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus) {
  findReach(step, island, problem, v_plus);
  const double theta = island.theta;
  const double early = 0.5 * (2.0 * theta - 1.0);
  w0_ = theta * problem.driftVelocity() + (1.0 - theta) * v_plus;
  w_ = w0_ + early * step.h * problem.acceleration();
  if (early != 0.0 && island.has_impact) {
    before_ = w_;
    addSteadyImpulses(step, island, early);
    change_ = w_ - before_;
    if (!(calcLargestMove(step, island, change_) <= reach_)) w_ = before_;  // of a kick that found no solution
  }
  if (theta == 0.0 && !island.has_impact) {
    // Semi-implicit Euler: bodies move with the new velocity.
    w_ = w0_ = v_plus;
    rows_.clear();
    return;
  }
  collectHeld(step, island, problem, 1.0);
}

void Places::holdInParts(const StepView& step, const Island& island, const IslandProblem& problem, const KickParts& parts,
                         const VectorXd& v_plus) {
  findReach(step, island, problem, v_plus);
  const double theta = island.theta;
  w0_ = theta * problem.driftVelocity() + (1.0 - theta) * v_plus;  // what the drifts do on their own
  w_ = 0.5 * (theta * (problem.velocity() + parts.velocityBefore()) + (1.0 - theta) * (parts.velocityAfter() + v_plus));
  collectHeld(step, island, problem, 1.0 - theta);
}

// ---- rows at the kick

void Places::addSlip(const StepView& step, const StepContact& contact, const ContactPlace& place, const Matrix3d& axes,
                     PlacePose pose, const Vector3d& way) {
  for (int t = 1; t < 3; ++t) {
    addContactRow(step, contact, place, pose, axes.col(t), axes.col(t).dot(way), rows_);
  }
}

// Joints stay as drifts keep them, limits that carry end at their stop or as far from it as they rebound, broken ones are taken back like overlaps.
void Places::addConstraint(const StepView& step, const StepConstraint& constraint) {
  if (constraint.kind == LawKind::box) return;
  const bool is_limit = constraint.kind == LawKind::unilateral;
  for (Eigen::Index k = 0; k < constraint.C.size(); ++k) {
    const double C = constraint.C[k];
    const bool carries = !is_limit || constraint.carries(k);
    if (constraint.row_of[k] < 0 || (C >= 0.0 && !carries)) continue;
    const double share = is_limit && C < 0.0 ? calcRecovery(recovery_, step.part) : 1.0;
    const double back = is_limit && carries ? constraint.way_back[k] : 0.0;
    addConstraintRow(step, constraint, constraint.J, PlacePose::kick, k, constraint.target[k] + (back - share * C) / step.h, rows_);
    if (!is_limit) rows_.back().target -= rows_.back().calcMiss(w0_);
    rows_.back().one_sided = !carries;
  }
}

// What holds, and where it ends.
void Places::collectHeld(const StepView& step, const Island& island, const IslandProblem& problem, double rest) {
  rest_ = rest;
  slips_.begin(step, island);
  rows_.clear();
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const StepContact& contact = step.contacts[island.contacts[k]];
    if (!holds(contact)) continue;
    const ContactPlace place = *findPlace(step, contact, PlacePose::kick);
    addContactRow(step, contact, place, PlacePose::kick, place.normal, -contact.openGap() / step.h, rows_);
    Vector3d way;
    if (slips_.find(step, contact, k, rest, way)) {
      addSlip(step, contact, place, problem.axes(static_cast<int>(k)), PlacePose::kick, way);
    }
  }
  for (const int index : island.constraints) addConstraint(step, step.constraints[index]);
  held_rows_.forget();
  solve(step, island, problem.problem().M, kVelocityRounding * (1.0 + w_.lpNorm<Eigen::Infinity>()), reach_, w_);
}

// ---- lifts

bool Places::areMissed(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus,
                       double error) {
  lifts_.begin(step, island, v_plus);
  missed_ = error + StepContact::kClosed / step.h;
  return std::ranges::any_of(island.contacts, [&](int index) {
    const StepContact& contact = step.contacts[index];
    const double rate = contact.kick_normal.dot(problem.calcDisplacementRate(step, contact, w_));
    return rate < lifts_.calcRate(step, island, contact, 1.0) - missed_;
  });
}

// Normals as far as they are to go at least, all else as it is.
void Places::liftBy(const StepView& step, const Island& island, const IslandProblem& problem, double share) {
  w_ = before_;
  rows_.clear();
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const StepContact& contact = step.contacts[island.contacts[k]];
    const ContactPlace place = *findPlace(step, contact, PlacePose::kick);
    addContactRow(step, contact, place, PlacePose::kick, place.normal, lifts_.calcRate(step, island, contact, share), rows_);
    rows_.back().one_sided = true;
    Vector3d way;
    if (!holds(contact) || !slips_.find(step, contact, k, rest_, way)) continue;
    addSlip(step, contact, place, problem.axes(static_cast<int>(k)), PlacePose::kick,
            problem.calcDisplacementRate(step, contact, w_));
  }
  const auto first = static_cast<std::ptrdiff_t>(rows_.size());
  for (const int index : island.constraints) addConstraint(step, step.constraints[index]);
  for (HeldRow& row : std::ranges::subrange(rows_.begin() + first, rows_.end())) {
    if (!row.one_sided) row.target -= row.calcMiss(w_);
  }
  solve(step, island, problem.problem().M, missed_, kFurther * calcLargestMiss(w_), w_);
}

double Places::lift(const StepView& step, const Island& island, const IslandProblem& problem, std::span<const double> losses) {
  before_ = w_;
  const auto calcExpense = [&] {
    way_ = w_ - before_;
    return lifts_.calcExpense(step, island, problem, way_, losses);
  };
  liftBy(step, island, problem, 1.0);
  const double expense = calcExpense();
  if (expense > 1.0) {
    liftBy(step, island, problem, 0.0);
    const double least = calcExpense();
    if (least < 1.0) liftBy(step, island, problem, (1.0 - least) / (expense - least));
  }
  way_ = w_ - before_;
  return step.h * calcLargestMove(step, island, way_);
}

// ---- both poses

// What rows miss at most.
double Places::calcLargestMiss(const VectorXd& w) const {
  double largest = 0.0;
  for (const HeldRow& row : rows_) {
    const double miss = row.calcMiss(w);
    largest = std::max(largest, row.one_sided ? miss : std::abs(miss));
  }
  return largest;
}

// Which rows push, and the smallest motion that meets them. Where joints let contacts have that only by throwing bodies further than
// `reach`, contacts have what joints leave them.
bool Places::solve(const StepView& step, const Island& island, const BlockDiagonalMatrix& M, double nothing, double reach, VectorXd& w) {
  start_ = w;
  if (std::ranges::any_of(rows_, &HeldRow::one_sided)) {
    if (!pass_.run(M, rows_, w)) return w.allFinite();
    w = start_;
    rows_.removeIf([](const HeldRow& row) { return !row.holds; });
  }
  held_rows_.hold(M, rows_, nothing, w);
  if (island.constraints.empty() || rows_.size() > HeldRows::kMostRows) return w.allFinite();
  for (const double rank : kRanks) {
    change_ = w - start_;
    if (calcLargestMove(step, island, change_) <= reach) break;
    w = start_;
    held_rows_.holdJointsFirst(M, rows_, rank, w);
  }
  return w.allFinite();
}

}  // namespace cornet
