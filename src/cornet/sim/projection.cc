#include "cornet/sim/projection.h"

#include <algorithm>
#include <cmath>

#include "cornet/math/rotation.h"
#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr int kIterations = 12;
constexpr int kHalvings = 4;
constexpr double kOnIt = 1e-14;     // C of this size, relative to the positions, is rounding
constexpr double kProximal = 1e-9;  // rows of joints rarely repeat each other
constexpr int kRefinements = 3;

}  // namespace

Projection::Projection(double recovery) : recovery_(recovery), held_rows_(kProximal, kRefinements) {}

// Rows at the present poses with targets -C; the largest miss, 0 when every C is at rounding. Limits that hold have no row.
double Projection::collectRows(const StepView& step, const Island& island) {
  rows_.clear();
  double largest = 0.0;
  const double end = step.time + step.h;
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    if (constraint.kind == LawKind::box) continue;
    const bool one_sided = constraint.kind == LawKind::unilateral;
    const Constraint& law = *constraint.constraint;
    collectStates(law, [&](int body) { return calcEndState(step.bodies[body], step.h); }, states_);
    const VectorXd C = law.evaluateAt(states_, end);
    double size = 1.0;
    for (const InertialState& state : states_) size += state.position.norm();
    const MatrixXd J = calcVelocityJacobian(law, states_, end, law.typeName());
    for (Eigen::Index k = 0; k < C.size(); ++k) {
      if (constraint.row_of[k] < 0) continue;
      const double wanted = one_sided ? std::min(0.0, (1.0 - recovery_) * constraint.C[k]) : 0.0;
      if (one_sided && C[k] >= wanted - kOnIt * size) continue;
      const double miss = std::abs(C[k] - wanted);
      if (miss > kOnIt * size) largest = std::max(largest, miss);
      addConstraintRow(step, constraint, J, k, 0.0, rows_);
      rows_.back().target = wanted - C[k];  // surroundings stand where they are
    }
  }
  return largest;
}

// Bodies by a share of the move; angular momenta stay as they are.
void Projection::moveBodies(StepView& step, const Island& island, double share) const {
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
double Projection::run(StepView& step, const Island& island, const BlockDiagonalMatrix& M) {
  way_.setZero(static_cast<Eigen::Index>(6 * island.bodies.size()));
  double miss = collectRows(step, island);
  for (int iteration = 0; iteration < kIterations && miss > 0.0; ++iteration) {
    move_.setZero(way_.size());
    held_rows_.hold(M, rows_, 0.0, move_);
    if (!move_.allFinite()) break;
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
