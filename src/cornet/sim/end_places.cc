// The problem of positions at the end pose.                                                      (PLACE-5)
#include <algorithm>
#include <cmath>

#include "cornet/math/rotation.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/places.h"

namespace cornet {
namespace {

constexpr double kWithinReach = 0.01;  // of a body's radius: limits and gaps that a correction may reach
constexpr int kIterations = 24;

// What a row misses before anything moves, over its softness; nothing if that is rounding.
double calcMiss(const HeldRow& row, double rounding) {
  const double miss = (row.one_sided ? row.target : std::abs(row.target)) / row.give;
  return miss > rounding ? miss : 0.0;
}

}  // namespace

void Places::finishDrifts(const StepView& step, const Island& island, const VectorXd& v_plus) const {
  for (const int index : island.bodies) {
    StepBody& body = step.bodies[index];
    const auto place = static_cast<Eigen::Index>(6 * body.block);
    const Vector3d correction = step.h * (w_ - w0_).segment<3>(place + 3);
    body.now = finishDrift(step.h, island.theta, v_plus.segment<3>(place), v_plus.segment<3>(place + 3),
                           w_.segment<3>(place), correction, body);
    body.displacement = w_.segment<3>(place);
    body.turning = w_.segment<3>(place + 3);
  }
}

// Contacts that hold end with the gaps that w would give them if rows did not turn; impacts, which are where free motion meets, and
// others with those that they have, or open.
double Places::addContactAtEnd(const StepView& step, const IslandProblem& problem, const Island& island, std::size_t k) {
  const StepContact& contact = step.contacts[island.contacts[k]];
  const std::optional<ContactPlace> place = findPlace(step, contact, PlacePose::end);
  if (!place) return 0.0;
  const bool is_held = holds(contact);
  if (!is_held && place->gap > kWithinReach * std::max(step.bodies[contact.a].radius, step.bodies[contact.b].radius)) return 0.0;
  if (!aims_[k]) {
    const double rate = contact.kick_normal.dot(problem.calcDisplacementRate(step, contact, w_));
    aims_[k] = is_held && !contact.is_impact ? contact.gap + step.h * rate : place->gap;
  }
  const double aim = is_held ? *aims_[k] : std::min(*aims_[k], 0.0);
  addContactRow(step, contact, *place, PlacePose::end, place->normal, aim - place->gap, rows_);
  rows_.back().one_sided = !is_held;
  const double miss = calcMiss(rows_.back(), place->rounding);
  if (is_held && contact.endsSticking(StepContact::kInside)) {
    addSlip(step, contact, *place, problem.axes(static_cast<int>(k)), PlacePose::end, Vector3d::Zero());
  }
  return miss;
}

double Places::addConstraintAtEnd(const StepView& step, StepConstraint& constraint) {
  if (constraint.kind == LawKind::box) return 0.0;
  const bool is_limit = constraint.kind == LawKind::unilateral;
  const ConstraintPlace place = findEnd(step, constraint);
  double largest = 0.0;
  for (Eigen::Index k = 0; k < place.C.size(); ++k) {
    if (constraint.row_of[k] < 0 || (is_limit && place.C[k] > kWithinReach)) continue;
    const double wanted = is_limit ? std::min(0.0, (1.0 - calcRecovery(recovery_, step.part)) * constraint.C[k]) : 0.0;
    addConstraintRow(step, constraint, place.J, PlacePose::end, k, wanted - place.C[k], rows_);
    rows_.back().one_sided = is_limit;
    largest = std::max(largest, calcMiss(rows_.back(), place.rounding));
  }
  return largest;
}

// Rows at the present poses, and the largest miss.
double Places::collectMisses(const StepView& step, const Island& island, const IslandProblem& problem) {
  rows_.clear();
  double largest = 0.0;
  for (const int index : island.constraints) largest = std::max(largest, addConstraintAtEnd(step, step.constraints[index]));
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    largest = std::max(largest, addContactAtEnd(step, problem, island, k));
  }
  return largest;
}

// Bodies by d; angular momenta stay as they are.
void Places::moveBodies(const StepView& step, const Island& island) const {
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    StepBody& body = step.bodies[island.bodies[k]];
    const auto place = static_cast<Eigen::Index>(6 * k);
    const PrincipalInertia& inertia = body.asset->inertia();
    const Vector3d momentum = inertia.calcMomentum(body.now.orientation, body.now.omega);
    body.now.position += move_.segment<3>(place);
    body.now.orientation = (expMap(Vector3d(move_.segment<3>(place + 3))) * body.now.orientation).normalized();
    body.now.omega = inertia.calcOmega(body.now.orientation, momentum);
  }
}

double Places::close(const StepView& step, const Island& island, const IslandProblem& problem) {
  way_.setZero(static_cast<Eigen::Index>(6 * island.bodies.size()));
  held_rows_.forget();
  aims_.assign(island.contacts.size(), std::nullopt);
  double miss = collectMisses(step, island, problem);
  for (int iteration = 0; iteration < kIterations && miss > 0.0; ++iteration) {
    move_.setZero(way_.size());
    if (!solve(step, island, problem.problem().M, 0.0, kFurther * calcLargestMiss(move_), move_)) break;
    left_.clear();
    for (const int i : island.bodies) left_.push_back(step.bodies[i].now);
    moveBodies(step, island);
    const double left = collectMisses(step, island, problem);
    if (!(left < miss)) {  // what contradicts itself moves nothing
      for (std::size_t k = 0; k < island.bodies.size(); ++k) step.bodies[island.bodies[k]].now = left_[k];
      break;
    }
    way_ += move_;
    miss = left;
  }
  return calcLargestMove(step, island, way_);
}

}  // namespace cornet
