#include "cornet/sim/projection.h"

#include <algorithm>
#include <cmath>

#include "cornet/math/rotation.h"
#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr int kIterations = 5;
constexpr double kOnIt = 1e-14;     // C of this size, relative to the positions, is rounding
constexpr double kProximal = 1e-9;  // rows of joints rarely repeat each other
constexpr int kRefinements = 3;

}  // namespace

Projection::Projection(double recovery) : recovery_(recovery), held_rows_(kProximal, kRefinements) {}

// Rows at the present poses with targets -C; false when every C is at rounding. Limits that hold have no row.
bool Projection::collectRows(const StepView& step, const Island& island) {
  rows_.clear();
  bool off = false;
  const double end = step.time + step.h;
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    if (constraint.kind == LawKind::box) continue;
    const bool one_sided = constraint.kind == LawKind::unilateral;
    const auto stateOf = [&](int body) { return calcEndState(step.bodies[body], step.h); };
    const InertialState a = stateOf(constraint.a);
    const InertialState b = constraint.b < 0 ? a : stateOf(constraint.b);
    const VectorXd C = constraint.constraint->evaluate(a, b, end);
    const double size = 1.0 + a.position.norm() + b.position.norm();
    const MatrixXd J = calcVelocityJacobian(*constraint.constraint, a, b, end, constraint.constraint->typeName());
    for (Eigen::Index k = 0; k < C.size(); ++k) {
      if (constraint.row_of[k] < 0) continue;
      const double wanted = one_sided ? std::min(0.0, (1.0 - recovery_) * constraint.C[k]) : 0.0;
      if (one_sided && C[k] >= wanted - kOnIt * size) continue;
      off |= std::abs(C[k] - wanted) > kOnIt * size;
      addConstraintRow(step, constraint, J, k, 0.0, rows_);
      rows_.back().target = wanted - C[k];  // surroundings stand where they are
    }
  }
  return off;
}

double Projection::run(StepView& step, const Island& island, const BlockDiagonalMatrix& M) {
  way_.setZero(static_cast<Eigen::Index>(6 * island.bodies.size()));
  for (int iteration = 0; iteration < kIterations && collectRows(step, island); ++iteration) {
    move_.setZero(way_.size());
    held_rows_.hold(M, rows_, 0.0, move_);
    if (!move_.allFinite()) break;
    way_ += move_;
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
  return calcLargestMove(step, island, way_);
}

}  // namespace cornet
