#include "cornet/sim/displacement.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Geometry>

#include "cornet/math/tangent_basis.h"
#include "cornet/sim/contact_row.h"
#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr double kBendProximal = 1e-3;       // of the diagonal of W
constexpr int kBendRefinements = 5;
constexpr double kVelocityRounding = 1e-13;  // [m/s], and of the velocities: residuals below are rounding
constexpr double kShallowMiss = 1e-5;        // [m]
constexpr double kMayWait = 0.005;           // of the smaller body's radius: overlaps of (STEP-26) and (STEP-32)
constexpr double kGentle = 5e-2;             // of the fall: what steps left of shallower overlaps is lifted gently,
constexpr double kGentleLift = 2e-5;         // by this much of it at most
constexpr double kRestShare = 1e-2;          // of what a step of falling gives: what is slower rests
constexpr double kNearly = 1.0 - 1e-12;      // what misses less is rounding
constexpr int kPushes = 6;
constexpr int kBends = 2;
constexpr double kOpenGap = 1e-12;           // [m] gaps at the end that are closed

std::uint64_t pairKey(const StepContact& contact) {
  const auto [low, high] = std::minmax({contact.a, contact.b});
  return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
}

double calcSmallerRadius(const StepView& step, const StepContact& contact) {
  const StepBody& a = step.bodies[contact.a];
  const StepBody& b = step.bodies[contact.b];
  if (!a.moves() || !b.moves()) return a.moves() ? a.radius : b.radius;
  return std::min(a.radius, b.radius);
}

// What the pair's bodies could fall in a step, twice.
double calcFall(const StepView& step, const StepContact& contact) {
  double acceleration = 0.0;
  for (const int index : {contact.a, contact.b}) {
    const StepBody& body = step.bodies[index];
    if (body.moves()) acceleration = std::max(acceleration, body.acceleration().norm());
  }
  return step.h * step.h * acceleration;
}

}  // namespace

Displacement::Displacement(double recovery, double most_lift)
    : recovery_(recovery), most_lift_(most_lift), held_rows_(kBendProximal, kBendRefinements), pass_(kBendProximal) {}

// Which rows hold, and where they end.
void Displacement::collectRows(const StepView& step, const Island& island,
                               const IslandProblem& problem, double rest) {
  const auto count = island.contacts.size();
  // Sums over pairs of bodies, for every contact of the pair.
  pairs_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    pairs_.emplace_back(pairKey(step.contacts[island.contacts[k]]), static_cast<int>(k));
  }
  std::ranges::sort(pairs_);
  slip_work_.assign(count, 0.0);
  slip_limit_.assign(count, 0.0);
  for (std::size_t i = 0; i < count;) {
    std::size_t j = i;
    double work = 0.0, limit = 0.0;
    for (; j < count && pairs_[j].first == pairs_[i].first; ++j) {
      const StepContact& contact = step.contacts[island.contacts[pairs_[j].second]];
      const Vector3d before = tangential(contact.rest_slip, contact.kick_normal);
      work -= tangential(contact.rest_impulse, contact.kick_normal).dot(before);
      limit += contact.mu * contact.rest_impulse.dot(contact.kick_normal) * before.norm();
    }
    for (; i < j; ++i) {
      slip_work_[pairs_[i].second] = work;
      slip_limit_[pairs_[i].second] = limit;
    }
  }
  rows_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const StepContact& contact = step.contacts[island.contacts[k]];
    const bool rebounds = contact.is_impact && contact.wanted_after > 0.0;
    if (!contact.endsActive() || rebounds) continue;
    const Matrix3d& axes = problem.axes(static_cast<int>(k));
    addRow(step, contact, contact.kick_normal, -contact.openGap() / step.h);
    const Vector3d before = tangential(contact.rest_slip, contact.kick_normal);
    const Vector3d after = tangential(contact.u_after, contact.kick_normal);
    Vector3d target = Vector3d::Zero();
    if (contact.endsSticking(StepContact::kInside)) {
      if (contact.is_impact) {
        const double share = 2.0 * contact.time / step.h;
        target = 0.5 * share * tangential(contact.u_turned, contact.kick_normal);
      } else {
        const double share = slip_limit_[k] > 0.0 ? std::clamp(slip_work_[k] / slip_limit_[k], 0.0, 1.0) : 0.0;
        target = contact.way_before + 0.5 * share * rest * before;
      }
    } else if (contact.mu > 0.0 && tangential(contact.rest_impulse, contact.kick_normal).dot(before + after) > 0.0) {
      target = contact.way_before + rest * after;
    } else {
      continue;
    }
    for (int t = 1; t < 3; ++t) {
      addRow(step, contact, axes.col(t), axes.col(t).dot(target));
    }
  }
  for (const int index : island.constraints) addConstraint(step, step.constraints[index]);
}

void Displacement::addRow(const StepView& step, const StepContact& contact, const Vector3d& direction, double target) {
  const auto motion = [](const StepBody& body) { return std::pair(body.displacement, body.turning); };
  const double belt = direction.dot(calcBelt(step.bodies[contact.a], step.bodies[contact.b], contact.kick_normal));
  addHeldRow(step, contact, {contact.kick_arm_a, contact.kick_arm_b}, direction, target - belt, motion, rows_);
}

// Joints end where they belong, limits that carry at their stop.                              (STEP-20)
void Displacement::addConstraint(const StepView& step, const StepConstraint& constraint) {
  const bool one_sided = constraint.kind == LawKind::unilateral;
  if (constraint.kind == LawKind::box) return;
  for (Eigen::Index k = 0; k < constraint.C.size(); ++k) {
    const double C = constraint.C[k];
    if (constraint.row_of[k] < 0 || (one_sided && C >= 0.0 && !constraint.carries(k))) continue;
    const double share = one_sided && C < 0.0 ? recovery_ : 1.0;  // a broken limit is taken back like an overlap
    addConstraintRow(step, constraint, constraint.J, k, constraint.target[k] - share * C / step.h, rows_);
    // Drifts keep joints as they are; what else moves bodies is to keep them too. What is open is closed at the end.
    if (!one_sided) rows_.back().target -= rows_.back().calcMiss(w0_);
    // What leaves a limit by itself, at least as fast, is not held to it.
    if (one_sided && !constraint.carries(k) && rows_.back().calcMiss(w_) <= 0.0) rows_.pop_back();
  }
}

void addConstraintRow(const StepView& step, const StepConstraint& constraint, const MatrixXd& J, Eigen::Index k,
                      double target, HeldRowList& rows) {
  HeldRow& row = rows.add().reset(target);
  for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
    const StepBody& body = step.bodies[constraint.bodies[i]];
    const Vector6d g = J.row(k).segment<6>(static_cast<Eigen::Index>(6 * i)).transpose();
    if (body.moves()) {
      row.add(body.block, g);
    } else {
      row.target -= g.head<3>().dot(body.displacement) + g.tail<3>().dot(body.turning);
    }
  }
}

// What contacts that were there before the impact go on doing all through the step, as forces do.
void Displacement::addSteadyImpulses(const StepView& step, const Island& island, double factor) {
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
}

void Displacement::calc(const StepView& step, const Island& island, const IslandProblem& problem,
                        const VectorXd& v_plus) {
  const double theta = island.theta;
  const double early = 0.5 * (2.0 * theta - 1.0);
  w0_ = theta * problem.driftVelocity() + (1.0 - theta) * v_plus;
  w_ = w0_ + early * step.h * problem.acceleration();
  if (early != 0.0 && island.has_impact) addSteadyImpulses(step, island, early);
  if (theta == 0.0 && !island.has_impact) {
    // Semi-implicit Euler: bodies move with the new velocity.
    w_ = w0_ = v_plus;
    return;
  }
  collectRows(step, island, problem, 1.0);
  held_rows_.hold(problem.problem().M, rows_, kVelocityRounding * (1.0 + w_.lpNorm<Eigen::Infinity>()), w_);
}

void Displacement::calcInParts(const StepView& step, const Island& island, const IslandProblem& problem,
                               const KickParts& parts, const VectorXd& v_plus) {
  const double theta = island.theta;
  w0_ = theta * problem.driftVelocity() + (1.0 - theta) * v_plus;  // what the drifts do on their own
  w_ = 0.5 * (theta * (problem.velocity() + parts.velocityBefore()) + (1.0 - theta) * (parts.velocityAfter() + v_plus));
  collectRows(step, island, problem, 1.0 - theta);
  held_rows_.hold(problem.problem().M, rows_, kVelocityRounding * (1.0 + w_.lpNorm<Eigen::Infinity>()), w_);
}

InertialState Displacement::calcEnd(const StepView& step, const Island& island, const VectorXd& v_plus,
                                    const StepBody& body) const {
  const auto place = static_cast<Eigen::Index>(6 * body.block);
  const Vector3d correction = step.h * (w_ - w0_).segment<3>(place + 3);
  return finishDrift(step.h, island.theta, v_plus.segment<3>(place), v_plus.segment<3>(place + 3),
                     w_.segment<3>(place), correction, body);
}

void Displacement::closeGaps(const StepView& step, const Island& island, const IslandProblem& problem,
                             const VectorXd& v_plus) {
  const auto poseOf = [&](int index) {
    const StepBody& body = step.bodies[index];
    const InertialState end = body.moves() ? calcEnd(step, island, v_plus, body) : moveFreely(body, step.h);
    return end.pose();
  };
  for (int round = 0; round < kBends; ++round) {
    rows_.clear();
    double largest = 0.0;
    for (std::size_t k = 0; k < island.contacts.size(); ++k) {
      const StepContact& contact = step.contacts[island.contacts[k]];
      if (contact.is_impact || contact.source < 0 || !contact.endsActive()) continue;
      if (!(contact.rest_impulse.dot(contact.kick_normal) > 0.0)) continue;
      const std::optional<double> gap =
          step.detector->calcGapAt(*step.found, contact.source, poseOf(contact.a), poseOf(contact.b));
      if (!gap) continue;
      const double excess = *gap - std::min(contact.gap, 0.0);
      largest = std::max(largest, std::abs(excess));
      const Vector3d rate = problem.calcDisplacementRate(step, contact, w_);
      addRow(step, contact, contact.kick_normal, contact.kick_normal.dot(rate) - excess / step.h);
      if (!contact.sticks(StepContact::kInside)) continue;
      const Matrix3d& axes = problem.axes(static_cast<int>(k));
      for (int t = 1; t < 3; ++t) addRow(step, contact, axes.col(t), axes.col(t).dot(rate));
    }
    if (!(largest > kOpenGap)) return;
    held_rows_.hold(problem.problem().M, rows_, 0.0, w_);
  }
}

double Displacement::calcWantedRate(const StepView& step, const Island& island, const StepContact& contact) const {
  if (contact.gap > 0.0) return -contact.gap / step.h;
  const double radius = calcSmallerRadius(step, contact);
  const bool may_wait = contact.gap > -kMayWait * radius;
  if (may_wait && island.is_retaken) return 0.0;
  const double share = may_wait ? share_ : 1.0;
  const double recovery = step.part < 1.0 ? 1.0 - std::pow(1.0 - recovery_, step.part) : recovery_;
  const double most = most_lift_ * radius * step.part;  // (STEP-34)
  const double lift = std::min(-recovery * contact.gap, most);
  const double fall = calcFall(step, contact);
  if (!rests(step, contact.a) || !rests(step, contact.b)) return share * lift / step.h;
  const double given = std::min(recovery * contact.given, most);
  const bool is_gentle = contact.gap >= -kGentle * fall;
  return std::max(given, is_gentle ? std::min(lift, kGentleLift * fall) : share * lift) / step.h;
}

// By how much a contact misses what it wants, over the step [m]; 0 when it does not.
double Displacement::calcMissing(const StepView& step, const Island& island, const StepContact& contact,
                                 const IslandProblem& problem, double error) const {
  const double rate = contact.kick_normal.dot(problem.calcDisplacementRate(step, contact, w_));
  const bool is_deep = contact.gap <= -StepContact::kClosed;
  const double wanted = is_deep ? calcWantedRate(step, island, contact) * kNearly
                                : -(contact.openGap() + StepContact::kClosed) / step.h;
  return rate < wanted - error ? step.h * (wanted - rate) : 0.0;
}

// Holds what misses, and what misses then; whether that ends soon.
bool Displacement::pushMissing(const StepView& step, const Island& island, const IslandProblem& problem,
                               double error) {
  before_ = w_;
  rows_.clear();
  pushed_.assign(island.contacts.size(), false);
  for (int round = 0; round < kPushes; ++round) {
    bool any = false;
    for (std::size_t k = 0; k < island.contacts.size(); ++k) {
      const StepContact& contact = step.contacts[island.contacts[k]];
      if (pushed_[k] || !(calcMissing(step, island, contact, problem, error) > 0.0)) continue;
      addRow(step, contact, contact.kick_normal, calcWantedRate(step, island, contact));
      any = pushed_[k] = true;
    }
    if (!any) return true;
    w_ = before_;
    held_rows_.hold(problem.problem().M, rows_, 0.0, w_);
  }
  w_ = before_;
  return false;
}

void Displacement::pushAll(const StepView& step, const Island& island, const IslandProblem& problem) {
  rows_.clear();
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    addRow(step, contact, contact.kick_normal, calcWantedRate(step, island, contact));
    rows_.back().one_sided = true;
  }
  pass_.run(problem.problem().M, rows_, w_);
}

// Bodies that end the step at rest, or begin it so.
void Displacement::findResting(const StepView& step, const Island& island, const VectorXd& v_plus) {
  resting_.clear();
  for (const int index : island.bodies) {
    const StepBody& body = step.bodies[index];
    const auto isSlow = [&](const Vector3d& velocity, const Vector3d& omega) {
      return velocity.norm() + body.radius * omega.norm() < kRestShare * step.h * body.acceleration().norm();
    };
    const auto place = static_cast<Eigen::Index>(6 * body.block);
    resting_.push_back(isSlow(body.start.velocity, body.start.omega) ||
                       isSlow(v_plus.segment<3>(place), v_plus.segment<3>(place + 3)));
  }
}

bool Displacement::rests(const StepView& step, int body) const {
  return !step.bodies[body].moves() || resting_[step.bodies[body].block];
}

bool Displacement::recover(const StepView& step, const Island& island, const IslandProblem& problem,
                           const VectorXd& v_plus, double error, double share) {
  share_ = share;
  findResting(step, island, v_plus);
  double missing = 0.0;
  for (const int index : island.contacts) {
    missing = std::max(missing, calcMissing(step, island, step.contacts[index], problem, error));
  }
  if (!(missing > 0.0)) return false;
  if (missing < kShallowMiss && pushMissing(step, island, problem, error)) return true;
  pushAll(step, island, problem);
  return true;
}

}  // namespace cornet
