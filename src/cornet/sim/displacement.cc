#include "cornet/sim/displacement.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace cornet {
namespace {

constexpr double kProximal = 1e-3;   // of the diagonal of W
constexpr int kRefinements = 5;
constexpr double kNothing = 3e-14;   // [m/s], and of the velocities: residuals below are rounding
constexpr double kClosed = StepContact::kClosed;
constexpr double kInside = 1e-9;     // of the cone: impulses further inside stick

ExactOptions passOptions() {
  ExactOptions options;
  options.tolerance = 1e-9;
  return options;
}

std::uint64_t pairKey(const StepContact& contact) {
  const auto [low, high] = std::minmax({contact.a, contact.b});
  return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
}

Vector3d tangential(const Vector3d& x, const Vector3d& n) { return x - n.dot(x) * n; }

}  // namespace

Displacement::Displacement(double recovery) : recovery_(recovery), solver_(passOptions()) {}

// Which rows hold, and where they end.
void Displacement::collectRows(const StepView& step, const Island& island,
                               const IslandProblem& problem) {
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
      const Vector3d before = tangential(contact.u_turned, contact.kick_normal);
      work -= contact.tangentImpulse().dot(before);
      limit += contact.mu * contact.normalImpulse() * before.norm();
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
    if (!contact.isActive() || rebounds) continue;
    const Matrix3d& axes = problem.axes(static_cast<int>(k));
    rows_.push_back({island.contacts[k], contact.kick_normal, -contact.openGap() / step.h});
    const Vector3d before = tangential(contact.u_turned, contact.kick_normal);
    const Vector3d after = tangential(contact.u_after, contact.kick_normal);
    Vector3d target = Vector3d::Zero();
    if (contact.sticks(kInside)) {
      double share = 0.0;
      if (contact.is_impact) {
        share = 2.0 * contact.time / step.h;
      } else if (slip_limit_[k] > 0.0) {
        share = std::clamp(slip_work_[k] / slip_limit_[k], 0.0, 1.0);
      }
      target = 0.5 * share * before;
    } else if (contact.mu > 0.0 && contact.tangentImpulse().dot(before + after) > 0.0) {
      target = after;
    } else {
      continue;
    }
    for (int t = 1; t < 3; ++t) {
      rows_.push_back({island.contacts[k], axes.col(t), axes.col(t).dot(target)});
    }
  }
}

Eigen::Matrix<double, 6, 1> Displacement::rowOn(const StepView& step, const Row& row,
                                                bool on_b) const {
  const StepContact& contact = step.contacts[row.contact];
  const Vector3d& arm = on_b ? contact.kick_arm_b : contact.kick_arm_a;
  Eigen::Matrix<double, 6, 1> g;
  g << row.direction, arm.cross(row.direction);
  return on_b ? g : Eigen::Matrix<double, 6, 1>(-g);
}

// M + Σ g gᵀ/(10⁻³ W_ii), the same solution as (STEP-10) in the velocities of the bodies.
void Displacement::factor(const StepView& step, const IslandProblem& problem) {
  const BlockDiagonalMatrix& M = problem.problem().M;
  couplings_.clear();
  for (const Row& row : rows_) {
    const StepContact& contact = step.contacts[row.contact];
    const int a = step.bodies[contact.a].block;
    const int b = step.bodies[contact.b].block;
    if (step.bodies[contact.a].moves() && step.bodies[contact.b].moves()) couplings_.emplace_back(a, b);
  }
  std::ranges::sort(couplings_);
  couplings_.erase(std::ranges::unique(couplings_).begin(), couplings_.end());
  if (structure_ == nullptr || structure_->graph().blockCount() != M.blockCount() ||
      couplings_ != known_couplings_) {
    const std::vector<int> sizes(static_cast<std::size_t>(M.blockCount()), 6);
    structure_ = std::make_unique<LduStructure>(BlockGraph(sizes, couplings_));
    known_couplings_ = couplings_;
    ldu_.reset(*structure_);
  }
  ldu_.setZero();
  for (int k = 0; k < M.blockCount(); ++k) ldu_.addDiagonal(k, M.block(k));
  weight_.clear();
  for (const Row& row : rows_) {
    const StepContact& contact = step.contacts[row.contact];
    const double W = step.bodies[contact.a].calcInverseMass(contact.kick_arm_a, row.direction) +
                     step.bodies[contact.b].calcInverseMass(contact.kick_arm_b, row.direction);
    weight_.push_back(1.0 / (kProximal * W));
    const double weight = weight_.back();
    Eigen::Matrix<double, 6, 1> sides[2];
    for (const bool on_b : {false, true}) {
      const StepBody& body = step.bodies[on_b ? contact.b : contact.a];
      sides[on_b] = rowOn(step, row, on_b);
      if (body.moves()) {
        const MatrixXd own = weight * sides[on_b] * sides[on_b].transpose();
        ldu_.addDiagonal(body.block, own);
      }
    }
    const StepBody& a = step.bodies[contact.a];
    const StepBody& b = step.bodies[contact.b];
    if (!a.moves() || !b.moves()) continue;
    const bool a_first = a.block > b.block;  // entries couple first > second
    const int entry = structure_->graph().findEntry(a.block, b.block);
    const MatrixXd coupling = a_first ? MatrixXd(weight * sides[0] * sides[1].transpose())
                                      : MatrixXd(weight * sides[1] * sides[0].transpose());
    ldu_.addSymmetricEntry(entry, coupling);
  }
  ldu_.factorSymmetric();
}

void Displacement::holdRows(const StepView& step, const IslandProblem& problem) {
  const double nothing_left = kNothing * (1.0 + w_.lpNorm<Eigen::Infinity>());
  for (int refinement = 0; refinement < kRefinements; ++refinement) {
    residual_.clear();
    bool nothing = true;
    for (const Row& row : rows_) {
      const StepContact& contact = step.contacts[row.contact];
      const double rate = row.direction.dot(problem.calcDisplacementRate(step, contact, w_));
      residual_.push_back(row.target - rate);
      if (std::abs(residual_.back()) < nothing_left) residual_.back() = 0.0;
      nothing &= residual_.back() == 0.0;
    }
    if (nothing) return;
    if (refinement == 0) factor(step, problem);
    change_.setZero(w_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const StepContact& contact = step.contacts[rows_[i].contact];
      for (const bool on_b : {false, true}) {
        const StepBody& body = step.bodies[on_b ? contact.b : contact.a];
        if (!body.moves()) continue;
        change_.segment<6>(6 * body.block) +=
            weight_[i] * residual_[i] * rowOn(step, rows_[i], on_b);
      }
    }
    ldu_.solveInPlace(change_);
    w_ += change_;
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
      w0_.segment<3>(6 * body.block) += sign / body.asset->mass().mass * impulse;
      w0_.segment<3>(6 * body.block + 3) +=
          sign * body.asset->inertia().calcOmega(body.now.orientation, arm.cross(impulse));
    }
  }
}

void Displacement::calc(const StepView& step, const Island& island, const IslandProblem& problem,
                        const VectorXd& v_plus) {
  const double theta = island.theta;
  const double early = 0.5 * (2.0 * theta - 1.0);
  w0_ = theta * problem.velocity() + (1.0 - theta) * v_plus + early * step.h * problem.acceleration();
  if (early != 0.0 && theta > 0.0) addSteadyImpulses(step, island, early);
  w_ = w0_;
  if (theta == 0.0 && !island.has_impact) {
    // Semi-implicit Euler: bodies move with the new velocity.
    w_ = w0_ = v_plus;
    return;
  }
  collectRows(step, island, problem);
  if (!rows_.empty()) holdRows(step, problem);
}

bool Displacement::recover(const StepView& step, const Island& island,
                           const IslandProblem& problem) {
  const auto target = [&](const StepContact& contact) {
    return contact.gap < 0.0 ? -recovery_ * contact.gap / step.h : -contact.gap / step.h;
  };
  bool violated = false;
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    const double rate = contact.kick_normal.dot(problem.calcDisplacementRate(step, contact, w_));
    if (contact.gap > -kClosed) {
      violated |= rate < -(contact.openGap() + kClosed) / step.h;
    } else {
      violated |= rate < target(contact) * (1.0 - 1e-12);
    }
  }
  if (!violated) return false;
  pass_ = problem.problem();
  pass_.rows.clear();
  const BlockSparseMatrix& J = problem.problem().J;
  pass_.J.reset(pass_.M.offsets());
  pass_.v_free = w_;
  pass_.bias.resize(static_cast<Eigen::Index>(island.contacts.size()));
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const StepContact& contact = step.contacts[island.contacts[k]];
    const auto row = static_cast<int>(k);
    pass_.rows.addUnilateral(1, {Origin::Kind::contact, row});
    pass_.rows.compliance.back() = kProximal * contact.inverse_mass;
    pass_.J.appendRow(1);
    double rate = 0.0;
    for (int e = J.begin(row); e < J.end(row); ++e) {
      const int entry = pass_.J.appendBlock(J.column(e));
      pass_.J.block(row, entry) = J.block(row, e).row(0);
      rate += J.block(row, e).row(0).dot(w_.segment<6>(6 * J.column(e)));
    }
    // What surroundings contribute is in the displacement rate but not in J w.
    const double all = contact.kick_normal.dot(problem.calcDisplacementRate(step, contact, w_));
    pass_.bias[row] = all - rate - target(contact);
  }
  pass_solution_.lambda.resize(0);
  solver_.solve(pass_, pass_solution_);
  w_ = pass_solution_.v;
  return true;
}

}  // namespace cornet
