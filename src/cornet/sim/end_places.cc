#include "cornet/sim/end_places.h"

#include <algorithm>
#include <cmath>

#include "cornet/math/rotation.h"
#include "cornet/sim/contact_row.h"
#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr int kEndIterations = 24;
constexpr int kHalvings = 4;
constexpr double kOnIt = 1e-14;        // C of this size, relative to the positions, is rounding
constexpr double kEndProximal = 1e-6;  // of the diagonal of W: joints of loops repeat each other
constexpr int kEndRefinements = 4;
constexpr double kContactGive = 1e3;   // times as soft as joints: where both cannot be met, joints are
constexpr double kWithinReach = 0.01;  // of a body's radius: limits and gaps that a correction may reach

}  // namespace

EndPlaces::EndPlaces(double recovery) : recovery_(recovery), held_rows_(kEndProximal, kEndRefinements, true), pass_(kEndProximal) {}

void EndPlaces::addConstraint(const StepView& step, StepConstraint& constraint, double& largest) {
  if (constraint.kind == LawKind::box) return;
  const bool one_sided = constraint.kind == LawKind::unilateral;
  PlacedConstraint& law = constraint.law;
  law.place(step.time + step.h, [&](int body) { return calcEndState(step.bodies[body], step.h); });
  const VectorXd& C = law.evaluate();
  double size = 1.0;
  for (const InertialState& state : law.states()) size += state.position.norm();
  const double rounding = kOnIt * size;
  const MatrixXd& J = law.calcJacobian();
  for (Eigen::Index k = 0; k < C.size(); ++k) {
    if (constraint.row_of[k] < 0) continue;
    const double wanted = one_sided ? std::min(0.0, (1.0 - recovery_) * constraint.C[k]) : 0.0;
    if (one_sided && C[k] > kWithinReach) continue;
    const double miss = one_sided ? wanted - C[k] : std::abs(C[k]);
    if (miss > rounding) largest = std::max(largest, miss);
    addConstraintRow(step, constraint, J, k, 0.0, rows_);
    rows_.back().target = wanted - C[k];  // surroundings stand where they are
    rows_.back().one_sided = one_sided;
  }
}

// Contacts whose features are known at any pose; `gap` is the one before anything moved.
void EndPlaces::addContact(const StepView& step, const StepContact& contact, std::optional<double>& gap) {
  if (contact.source < 0) return;
  const InertialState a = calcEndState(step.bodies[contact.a], step.h);
  const InertialState b = calcEndState(step.bodies[contact.b], step.h);
  const std::optional<ManifoldPoint> point = step.detector->followFeature(*step.found, contact.source, a.pose(), b.pose());
  if (!point) return;
  if (!gap) gap = point->gap;
  const bool carries = contact.carries() && !(contact.is_impact && contact.wanted_after > 0.0);
  if (!carries && point->gap > kWithinReach * std::max(step.bodies[contact.a].radius, step.bodies[contact.b].radius)) return;
  const auto motion = [](const StepBody&) { return std::pair(Vector3d(Vector3d::Zero()), Vector3d(Vector3d::Zero())); };
  const double target = (carries ? *gap : std::min(*gap, 0.0)) - point->gap;
  addHeldRow(step, contact, {point->point_a - a.position, point->point_b - b.position}, point->normal, target, motion, rows_);
  rows_.back().one_sided = !carries;
  rows_.back().give = kContactGive;
}

// Rows at the present poses; the largest miss of joints and limits, 0 when it is rounding.
double EndPlaces::collectRows(const StepView& step, const Island& island) {
  rows_.clear();
  double largest = 0.0;
  for (const int index : island.constraints) addConstraint(step, step.constraints[index], largest);
  if (!(largest > 0.0)) return 0.0;
  gaps_.resize(island.contacts.size());
  for (std::size_t k = 0; k < island.contacts.size(); ++k) addContact(step, step.contacts[island.contacts[k]], gaps_[k]);
  return largest;
}

// Which rows push, and the motion that meets them.
bool EndPlaces::solve(const BlockDiagonalMatrix& M) {
  move_.setZero(M.dimension());
  if (std::ranges::any_of(rows_, &HeldRow::one_sided)) pass_.run(M, rows_, move_);
  held_.clear();
  for (const HeldRow& row : rows_) {
    if (row.holds) held_.push_back(row);
  }
  move_.setZero();
  held_rows_.hold(M, held_, 0.0, move_);
  return move_.allFinite();
}

// Bodies by a share of the move; angular momenta stay as they are.
void EndPlaces::moveBodies(StepView& step, const Island& island, double share) const {
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    StepBody& body = step.bodies[island.bodies[k]];
    const auto place = static_cast<Eigen::Index>(6 * k);
    const PrincipalInertia& inertia = body.asset->inertia();
    const Vector3d momentum = inertia.calcMomentum(body.now.orientation, body.now.omega);
    body.now.position += share * move_.segment<3>(place);
    body.now.orientation = (expMap(Vector3d(share * move_.segment<3>(place + 3))) * body.now.orientation).normalized();
    body.now.omega = inertia.calcOmega(body.now.orientation, momentum);
  }
}

// A move that does not bring the constraints nearer is halved a few times; where that does not help, they contradict each other.
double EndPlaces::run(StepView& step, const Island& island, const BlockDiagonalMatrix& M) {
  way_.setZero(static_cast<Eigen::Index>(6 * island.bodies.size()));
  gaps_.clear();
  held_rows_.forget();
  double miss = collectRows(step, island);
  for (int iteration = 0; iteration < kEndIterations && miss > 0.0; ++iteration) {
    if (!solve(M)) break;
    before_.clear();
    for (const int i : island.bodies) before_.push_back(step.bodies[i].now);
    double share = 1.0, left = miss;
    for (int halving = 0; halving <= kHalvings; ++halving, share *= 0.5) {
      for (std::size_t k = 0; k < island.bodies.size(); ++k) step.bodies[island.bodies[k]].now = before_[k];
      moveBodies(step, island, share);
      left = collectRows(step, island);
      if (left < miss) break;
    }
    if (!(left < miss)) {
      for (std::size_t k = 0; k < island.bodies.size(); ++k) step.bodies[island.bodies[k]].now = before_[k];
      break;
    }
    way_ += share * move_;
    miss = left;
  }
  return calcLargestMove(step, island, way_);
}

}  // namespace cornet
