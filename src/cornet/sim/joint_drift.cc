#include "cornet/sim/joint_drift.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr int kDriftPasses = 2;          // each leaves rounding over HeldRows::kProximal of what there was, 1e-10
constexpr double kLeftByPass = 1e-3;     // of the misses, by a pass that is right,
constexpr double kLittleMiss = 1e-10;    //   or so many m/s, which the next one takes
constexpr double kOff = 1e-10;           // of the speeds: rates at the start that are further off were not made by a step
constexpr double kRateRounding = 1e-15;  // of the speeds
constexpr double kClosedJoint = 1e-14;   // of the positions: C that changes less is rounding
constexpr int kDriftIterations = 12;
constexpr double kDriftFalls = 0.7;      // what an iteration leaves of the miss at most, or it is the last

}  // namespace

// A body where rows are evaluated.
InertialState JointDrift::stateAt(const StepView& step, int index, StepPose pose, double theta) const {
  const StepBody& body = step.bodies[index];
  if (body.moves()) return pose == StepPose::start ? body.start : body.now;
  if (pose != StepPose::end) return calcJointKickState(body, pose == StepPose::start ? 0.0 : theta * step.h);
  InertialState state = moveFreely(body, step.h);
  state.velocity = body.end_velocity;
  state.omega = body.end_omega;
  return state;
}

// Rows of the equalities, in the velocities of what moves.
void JointDrift::collectRows(const StepView& step, std::span<const int> constraints, StepPose pose, double theta) {
  rows_.clear();
  meaning_.clear();
  full_.clear();
  const double time = step.time + (pose == StepPose::start ? 0.0 : pose == StepPose::end ? step.h : theta * step.h);
  for (const int index : constraints) {
    StepConstraint& constraint = step.constraints[index];
    if (constraint.kind != LawKind::equality) continue;
    constraint.law.place(time, [&](int body) { return stateAt(step, body, pose, theta); });
    const MatrixXd& J = constraint.law.calcJacobian();
    const VectorXd& C = constraint.law.evaluate();
    const Vector3d arm = constraint.law.calcReading().point - constraint.law.stateOfB().position;
    for (Eigen::Index k = 0; k < C.size(); ++k) {
      HeldRow& row = rows_.add().reset();
      constexpr double kNothing = 1e-12;  // entries of rows that constrain nothing
      bool constrains = false;
      const Row meaning{index, static_cast<int>(k), C[k], static_cast<int>(full_.size()), arm};
      for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
        const StepBody& body = step.bodies[constraint.bodies[i]];
        full_.push_back(J.row(k).segment<6>(static_cast<Eigen::Index>(6 * i)).transpose());
        if (!body.moves()) continue;
        row.add(body.block, full_.back());
        constrains |= !full_.back().isZero(kNothing);
      }
      if (!constrains) {
        full_.resize(static_cast<std::size_t>(meaning.first));
        rows_.pop_back();
        continue;
      }
      meaning_.push_back(meaning);
    }
  }
}

// Targets that take rates to w; false when they are there but for `nothing`, a share of the speeds.
bool JointDrift::aimAtRates(const StepView& step, StepPose pose, double theta, double nothing) {
  const double time = step.time + (pose == StepPose::start ? 0.0 : pose == StepPose::end ? step.h : theta * step.h);
  bool off = false;
  for (std::size_t k = 0; k < rows_.size();) {
    StepConstraint& constraint = step.constraints[meaning_[k].constraint];
    constraint.law.place(time, [&](int body) { return stateAt(step, body, pose, theta); });
    const VectorXd& rate = constraint.law.calcRate();
    const VectorXd& wanted = constraint.law.calcTargetRate();
    const MatrixXd& J = constraint.law.jacobian();
    const double speed = calcLargestSpeed(constraint.law.states());
    for (; k < rows_.size() && meaning_[k].constraint == constraint.index; ++k) {
      rows_[k].target = wanted[meaning_[k].row] - rate[meaning_[k].row];
      off |= std::abs(rows_[k].target) > nothing * (1.0 + J.row(meaning_[k].row).cwiseAbs().maxCoeff()) * speed;
    }
  }
  return off;
}

void JointDrift::collectMasses(const StepView& step, std::span<const int> bodies, StepPose pose) {
  M_.clear();
  for (const int i : bodies) {
    const StepBody& body = step.bodies[i];
    const InertialState& state = pose == StepPose::start ? body.start : body.now;
    M_.appendBlock(6);
    M_.block(body.block).diagonal().head<3>().setConstant(body.asset->mass().mass);
    M_.block(body.block).bottomRightCorner<3, 3>() = body.asset->inertia().calcMatrix(state.orientation);
  }
}

// What the multipliers of a pass do: M⁻¹Jᵀ of them afresh. The largest miss that they leave.
double JointDrift::pull() {
  part_.setZero();
  for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].pull(part_multipliers_[k], part_);
  for (int k = 0; k < M_.blockCount(); ++k) {
    part_.segment<3>(6 * k) /= M_.block(k)(0, 0);
    const Matrix3d inertia = M_.block(k).bottomRightCorner<3, 3>();
    part_.segment<3>(6 * k + 3) = inertia.inverse() * part_.segment<3>(6 * k + 3).eval();
  }
  double largest = 0.0;
  for (const HeldRow& row : rows_) largest = std::max(largest, std::abs(row.calcMiss(part_)));
  return largest;
}

// Multipliers that meet the targets, and what they do: momenta then change by nothing but the impulses, whatever
// the factors of J M⁻¹Jᵀ have lost. Where they have lost too much, as for a body that turns easily about one axis alone, multipliers
// are found exactly. False when there are none.
bool JointDrift::solve(VectorXd& change) {
  change.setZero(M_.dimension());
  multipliers_.assign(rows_.size(), 0.0);
  for (int pass = 0; pass < kDriftPasses; ++pass) {
    double before = 0.0;
    for (const HeldRow& row : rows_) before = std::max(before, std::abs(row.target));
    part_.setZero(M_.dimension());
    held_rows_.hold(M_, rows_, 0.0, part_, &part_multipliers_);
    if (!part_.allFinite()) return pass > 0;
    if (!(pull() <= std::max(kLeftByPass * before, kLittleMiss)) && rows_.size() <= HeldRows::kMostRows) {
      part_.setZero();
      held_rows_.holdExactly(M_, rows_, part_, part_multipliers_);
      if (!(pull() < before)) return pass > 0;
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) multipliers_[k] += part_multipliers_[k];
    change += part_;
    for (HeldRow& row : rows_) row.target = row.calcMiss(part_);
  }
  return true;
}

void JointDrift::report(const StepView& step, JointStage stage, std::span<const double> impulses) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    StepConstraint& constraint = step.constraints[meaning_[k].constraint];
    PoseImpulse& impulse = constraint.at(stage);
    impulse.rows[meaning_[k].row] += impulses[k];
    impulse.arm = meaning_[k].arm;
    for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
      const Vector6d& g = full_[static_cast<std::size_t>(meaning_[k].first) + i];
      impulse.wrench.segment<6>(static_cast<Eigen::Index>(6 * i)) += impulses[k] * g;
    }
  }
}

void JointDrift::forget(const StepView& step, const Island& island, JointStage stage) const {
  for (const int index : island.constraints) {
    step.constraints[index].at(stage).reset(step.constraints[index].law.constraint());
  }
}

double JointDrift::settle(const StepView& step, std::span<const int> bodies, StepPose pose, JointStage stage) {
  held_rows_.forget();
  collectMasses(step, bodies, pose);
  if (!solve(change_)) return 0.0;
  double largest = 0.0;
  for (const int i : bodies) {
    StepBody& body = step.bodies[i];
    const Vector6d change = change_.segment<6>(6 * body.block);
    InertialState& state = pose == StepPose::start ? body.start : body.now;
    state.velocity += change.head<3>();
    state.omega += change.tail<3>();
    if (pose == StepPose::start) body.now = body.start;
    largest = std::max(largest, change.head<3>().norm() + body.radius * change.tail<3>().norm());
  }
  report(step, stage, multipliers_);
  return largest;
}

double JointDrift::settleStart(const StepView& step) {
  constraints_.clear();
  bodies_.clear();
  for (const StepConstraint& constraint : step.constraints) {
    if (!constraint.is_active || constraint.kind != LawKind::equality) continue;
    const auto isLink = [&](int body) { return step.bodies[body].is_link; };
    if (std::ranges::any_of(constraint.bodies, isLink)) continue;  // their trees settle themselves
    constraints_.push_back(constraint.index);
    for (const int body : constraint.bodies) {
      if (step.bodies[body].moves()) bodies_.push_back(body);
    }
  }
  if (constraints_.empty()) return 0.0;
  std::ranges::sort(bodies_);
  bodies_.erase(std::ranges::unique(bodies_).begin(), bodies_.end());
  for (std::size_t k = 0; k < bodies_.size(); ++k) step.bodies[bodies_[k]].block = static_cast<int>(k);
  collectRows(step, constraints_, StepPose::start, 0.0);
  if (!aimAtRates(step, StepPose::start, 0.0, kOff)) return 0.0;
  return settle(step, bodies_, StepPose::start, JointStage::settled);
}

// By how much C differs at the end of the drift from what it was, as rates; the largest miss [m, rad].
double JointDrift::calcMiss(const StepView& step, const Island& island, StepPose to, double t) {
  const double time = step.time + (to == StepPose::end ? step.h : island.theta * step.h);
  double largest = 0.0;
  for (std::size_t k = 0; k < rows_.size();) {
    StepConstraint& constraint = step.constraints[meaning_[k].constraint];
    const auto endOf = [&](int body) {
      return step.bodies[body].moves() ? drifted_[step.bodies[body].block] : stateAt(step, body, to, island.theta);
    };
    constraint.law.place(time, endOf);
    const VectorXd& C = constraint.law.evaluate();
    double size = 1.0;
    for (const InertialState& state : constraint.law.states()) size += state.position.norm();
    for (; k < rows_.size() && meaning_[k].constraint == constraint.index; ++k) {
      const double miss = C[meaning_[k].row] - meaning_[k].C;
      rows_[k].target = std::abs(miss) > kClosedJoint * size ? -miss / t : 0.0;
      largest = std::max(largest, std::abs(t * rows_[k].target));
    }
  }
  return largest;
}

// Finds total_, what the impulses sum_ at the pose `from` add to v, so that C is the same after a drift of t. Iterations
// go on as long as they help.
void JointDrift::keepClosed(const StepView& step, const Island& island, StepPose from, double t, const VectorXd& v) {
  total_.setZero(v.size());
  sum_.assign(rows_.size(), 0.0);
  drifted_.resize(island.bodies.size());
  const StepPose to = from == StepPose::start ? StepPose::kick : StepPose::end;
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration <= kDriftIterations; ++iteration) {
    v_ = v + total_;
    for (const int i : island.bodies) {
      const StepBody& body = step.bodies[i];
      InertialState& end = drifted_[body.block];
      end = from == StepPose::start ? body.start : body.now;
      end.velocity = v_.segment<3>(6 * body.block);
      end.omega = v_.segment<3>(6 * body.block + 3);
      end.position += t * end.velocity;
      body.asset->inertia().turnFreely(t, end.orientation, end.omega);
    }
    const double miss = calcMiss(step, island, to, t);
    if (!(miss < before)) {  // the last one made it worse
      total_ = last_total_;
      sum_ = last_sum_;
      return;
    }
    if (miss == 0.0 || (iteration > 1 && miss > kDriftFalls * before) || iteration == kDriftIterations) return;
    before = miss;
    last_total_ = total_;
    last_sum_ = sum_;
    if (!solve(change_)) return;
    total_ += change_;
    for (std::size_t k = 0; k < rows_.size(); ++k) sum_[k] += multipliers_[k];
  }
}

void JointDrift::toKick(const StepView& step, const Island& island) {
  held_rows_.forget();
  const double t = island.theta * step.h;
  for (std::size_t k = 0; k < island.bodies.size(); ++k) step.bodies[island.bodies[k]].block = static_cast<int>(k);
  forget(step, island, JointStage::left_start);
  forget(step, island, JointStage::reached_kick);
  v_start_.resize(static_cast<Eigen::Index>(6 * island.bodies.size()));
  for (const int i : island.bodies) {
    v_start_.segment<6>(6 * step.bodies[i].block) << step.bodies[i].start.velocity, step.bodies[i].start.omega;
  }
  total_.setZero(v_start_.size());
  if (t > 0.0) {
    collectRows(step, island.constraints, StepPose::start, island.theta);
    collectMasses(step, island.bodies, StepPose::start);
    keepClosed(step, island, StepPose::start, t, v_start_);
    report(step, JointStage::left_start, sum_);
  }
  for (const int i : island.bodies) {
    StepBody& body = step.bodies[i];
    const auto place = static_cast<Eigen::Index>(6 * body.block);
    body.now = body.start;
    body.now.velocity += total_.segment<3>(place);
    body.now.omega += total_.segment<3>(place + 3);
    drift(body, t);
    body.drift_velocity = body.now.velocity;
    body.drift_omega = body.now.omega;
  }
  if (!(t > 0.0)) return;
  collectRows(step, island.constraints, StepPose::kick, island.theta);
  if (aimAtRates(step, StepPose::kick, island.theta, kRateRounding)) {
    settle(step, island.bodies, StepPose::kick, JointStage::reached_kick);
  }
}

void JointDrift::fromKick(const StepView& step, const Island& island, VectorXd& v) {
  held_rows_.forget();
  const double t = (1.0 - island.theta) * step.h;
  forget(step, island, JointStage::left_kick);
  if (!(t > 0.0)) return;
  collectRows(step, island.constraints, StepPose::kick, island.theta);
  collectMasses(step, island.bodies, StepPose::kick);
  keepClosed(step, island, StepPose::kick, t, v);
  v += total_;
  report(step, JointStage::left_kick, sum_);
}

void JointDrift::settleEnd(const StepView& step, const Island& island) {
  forget(step, island, JointStage::reached_end);
  collectRows(step, island.constraints, StepPose::end, island.theta);
  if (aimAtRates(step, StepPose::end, island.theta, kRateRounding)) {
    settle(step, island.bodies, StepPose::end, JointStage::reached_end);
  }
}

}  // namespace cornet
