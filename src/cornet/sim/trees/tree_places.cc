// Where the trees of an island end: the problem of positions.                              (TREE-8), (TREE-10)
#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/math/tangent_basis.h"
#include "cornet/sim/trees/tree_island_step.h"

namespace cornet {
namespace {

constexpr double kSoft = 1e-6;            // of the diagonal of W: rows of a face repeat or contradict each other
constexpr double kShallowOverlap = 1e-5;  // [m] overlaps up to this stay: to lift what rests puts energy in
constexpr double kPlaced = 1e-15;         // [m], of positions of the size of one: misses below are rounding
constexpr int kBendPasses = 3;            // each leaves a share kSoft of what rows miss
constexpr int kPlaceIterations = 6;
constexpr double kPlaceFalls = 0.5;       // what an iteration leaves of the miss at most, or it is the last
constexpr double kNearGap = 1e-3;         // [m] gaps that a correction may close
constexpr double kParallel = 1e-9;

// A certificate by which a problem of positions may move anything.
bool isGood(const Solution& solution) {
  constexpr double kRight = 1e-3;
  return solution.v.allFinite() && solution.certificate.relativeAboveFloor() <= kRight;
}

}  // namespace

// Whether a limit of the same joint is within reach: it, and not friction, then says where the joint ends.
bool TreeIslandStep::isStopped(const OwnRow& friction, double h) const {
  return std::ranges::any_of(own_, [&](const OwnRow& own) {
    if (own.tree != friction.tree || own.now.kind != TreeRow::Kind::limit) return false;
    const double together = std::abs(own.now.g.dot(friction.now.g));
    const bool is_same = together > (1.0 - kParallel) * own.now.g.norm() * friction.now.g.norm();
    return is_same && (own.holds || own.hits || own.start.C <= h * std::abs(friction.rate) + kPlaced);
  });
}

// Rows at the kick pose, with their targets; the velocities follow.
void TreeIslandStep::collectPlaces(double t, double h) {
  places_.begin(*world_, *step_, *island_, trees_, t + 0.5 * h);
  places_.problem.M = kick_.problem.M;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& now = contacts_[k];
    if (now.block < 0) continue;
    const StepContact& known = contact(k);
    const double gap = now.start.gap;
    const double lift = gap < -kShallowOverlap ? -options_.recovery * gap / h : 0.0;
    const double wanted = gap > StepContact::kClosed ? -gap / h : lift;
    places_.addRow(known, now.kick, now.kick.normal, -wanted, now.holds ? LawKind::equality : LawKind::unilateral);
    if (!now.sticks) continue;
    const Matrix3d axes = makeContactAxes(now.kick.normal);
    const Vector3d belt = calcBelt(step_->bodies[known.a], step_->bodies[known.b], now.kick.normal);
    for (int d = 1; d < 3; ++d) {
      places_.addRow(known, now.kick, axes.col(d), axes.col(d).dot(belt - now.slip), LawKind::equality);
    }
  }
  for (const OwnRow& own : own_) {
    if (own.block < 0) continue;
    if (own.now.kind == TreeRow::Kind::friction) {
      if (!own.holds || isStopped(own, h)) continue;
      const double share = 0.5 * std::abs(lambdaOf(own.block)) / (h * own.now.most);
      places_.addRow(own.tree, own.now.g, -share * own.rate, LawKind::equality);
    } else {
      places_.addRow(own.tree, own.now.g, own.start.C / h, own.holds ? LawKind::equality : LawKind::unilateral);
    }
  }
  std::vector<int> row_of;
  for (const int index : island_->constraints) {
    const StepConstraint& constraint = step_->constraints[index];
    if (constraint.kind == LawKind::box) continue;
    const VectorXd bias = constraint.C / h - constraint.target;
    places_.addConstraint(constraint, constraint.J, bias, constraint.kind, h, row_of);
  }
  places_.finish();
  soften();
}

// Compliance of all rows.
void TreeIslandStep::soften() {
  calcInverseMasses(places_.problem, inverse_mass_);
  for (Eigen::Index row = 0; row < inverse_mass_.size(); ++row) {
    places_.problem.rows.compliance[static_cast<std::size_t>(row)] = kSoft * inverse_mass_[row];
  }
}

// Bends the way from that of the drifts to the one the rows ask for.
void TreeIslandStep::bend(double h, const VectorXd& v_begin) {
  if (places_.problem.rows.rowCount() == 0) return;
  const VectorXd w0 = 0.5 * (v_begin + trees_.velocities());
  places_.problem.v_free = w0;
  for (int pass = 0; pass < kBendPasses; ++pass) {
    place_.lambda.setZero(places_.problem.rows.rowCount());
    place_solver_.solve(places_.problem, place_);
    if (!isGood(place_)) {
      place_.v = places_.problem.v_free;  // what contradicts itself moves nothing
      break;
    }
    const double change = (place_.v - places_.problem.v_free).lpNorm<Eigen::Infinity>();
    places_.problem.v_free = place_.v;
    if (!(change > kSoft * w0.lpNorm<Eigen::Infinity>())) break;
  }
  trees_.displace(h * (place_.v - w0));
}

// Rows at the end pose with what is left of gaps and C; the largest of it.
double TreeIslandStep::collectMisses(double t, double h) {
  places_.begin(*world_, *step_, *island_, trees_, std::nullopt);
  places_.problem.v_free.setZero();
  double largest = 0.0;
  const auto note = [&](double miss, LawKind kind) {
    largest = std::max(largest, kind == LawKind::equality ? std::abs(miss) : std::max(0.0, -miss));
  };
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& now = contacts_[k];
    if (now.block < 0) continue;
    const ContactAt end = calcContactAt(*step_, contact(k), t + h, t + h);
    const double before = now.start.gap;
    const double wanted = before < -kShallowOverlap ? (1.0 - options_.recovery) * before : std::min(before, 0.0);
    const double miss = end.gap - wanted;
    if (!now.holds && miss > kNearGap) continue;
    const LawKind kind = now.holds ? LawKind::equality : LawKind::unilateral;
    note(miss, kind);
    places_.addRow(contact(k), end, end.normal, miss / h, kind);
    if (!now.sticks) continue;
    const Matrix3d axes = makeContactAxes(end.normal);
    const Vector3d creep = now.stays ? calcCreep(contact(k), now, t + h) : Vector3d(Vector3d::Zero());
    for (int d = 1; d < 3; ++d) {
      const double miss_along = axes.col(d).dot(creep);
      note(miss_along, LawKind::equality);
      places_.addRow(contact(k), end, axes.col(d), miss_along / h, LawKind::equality);
    }
  }
  std::size_t place = 0;
  for (int k = 0; k < trees_.count(); ++k) {
    rows_.clear();
    trees_[k].tree->collectRows(*trees_[k].cache, rows_);
    for (const TreeRow& row : rows_) {
      const OwnRow& own = own_[place++];
      const bool holds_still = row.kind == TreeRow::Kind::friction && own.holds;
      if (own.block < 0 || (row.kind == TreeRow::Kind::friction && (!own.holds || isStopped(own, h)))) continue;
      const LawKind kind = own.holds ? LawKind::equality : LawKind::unilateral;
      const double miss = holds_still ? 0.0 : row.C;
      note(miss, kind);
      places_.addRow(k, row.g, miss / h, kind);
    }
  }
  std::vector<int> row_of;
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    if (constraint.kind == LawKind::box) continue;
    PlacedConstraint& law = constraint.law;
    law.place(step_->time + t + h, [&](int body) { return calcStateAt(*step_, body, t + h, t + h); });
    VectorXd C = law.evaluate();
    if (constraint.kind == LawKind::unilateral) C -= ((1.0 - options_.recovery) * constraint.C).cwiseMin(0.0);
    for (const double miss : C) note(miss, constraint.kind);
    places_.addConstraint(constraint, law.calcJacobian(), C / h, constraint.kind, h, row_of);
  }
  places_.finish();
  soften();
  return largest;
}

void TreeIslandStep::close(double t, double h) {
  double miss = collectMisses(t, h);
  for (int iteration = 0; iteration < kPlaceIterations && miss > kPlaced; ++iteration) {
    place_.lambda.setZero(places_.problem.rows.rowCount());
    place_solver_.solve(places_.problem, place_);
    if (!isGood(place_)) return;
    trees_.keep();
    trees_.displace(h * place_.v);
    trees_.placeBodies(*step_, *island_);
    const double left = collectMisses(t, h);
    if (!(left < miss)) {  // no nearer: back to where it was
      trees_.goBack();
      trees_.placeBodies(*step_, *island_);
      return;
    }
    report_.corrections.projected = 1;
    if (left > kPlaceFalls * miss) return;
    miss = left;
  }
}

// Velocities that loops and joints allow.
void TreeIslandStep::settle(double t) {
  places_.begin(*world_, *step_, *island_, trees_, t);
  for (const OwnRow& own : own_) {
    if (own.now.kind == TreeRow::Kind::equality && own.block >= 0) places_.addRow(own.tree, own.now.g, 0.0, LawKind::equality);
  }
  std::vector<std::pair<StepConstraint*, std::vector<int>>> joints;
  for (const int index : island_->constraints) {
    StepConstraint& constraint = step_->constraints[index];
    if (constraint.kind != LawKind::equality) continue;
    PlacedConstraint& law = constraint.law;
    law.place(step_->time + t, [&](int body) { return calcStateAt(*step_, body, t, t); });
    joints.emplace_back(&constraint, std::vector<int>{});
    places_.addConstraint(constraint, law.calcJacobian(), -law.calcTargetRate(), LawKind::equality, step_->h,
                          joints.back().second);
  }
  places_.finish();
  if (places_.problem.rows.rowCount() == 0) return;
  place_.lambda.setZero(places_.problem.rows.rowCount());
  place_solver_.solve(places_.problem, place_);
  trees_.setVelocities(place_.v);
  trees_.placeBodies(*step_, *island_);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    StepConstraint& constraint = *joints[j].first;
    PoseImpulse& impulse = constraint.at(JointStage::reached_end);
    VectorXd lambda = VectorXd::Zero(constraint.law.constraint().dimension());
    for (std::size_t k = 0; k < joints[j].second.size(); ++k) {
      if (joints[j].second[k] >= 0) lambda[static_cast<Eigen::Index>(k)] = place_.lambda[joints[j].second[k]];
    }
    impulse.rows += lambda;
    impulse.arm = constraint.arm;
    impulse.wrench += constraint.law.jacobian().transpose() * lambda;
  }
}

}  // namespace cornet
