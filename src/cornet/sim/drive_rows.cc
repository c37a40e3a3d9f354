#include "cornet/sim/drive_rows.h"

#include <algorithm>
#include <cmath>

#include "cornet/sim/place_rows.h"

namespace cornet {
namespace {

// Of the diagonal: joints give way by this share of what they hold, which m needs no better than.
constexpr double kDriveProximal = 1e-8;

// δ of (DRV-3): how much of the change of velocity damping sees.
double calcDampingShare(double z) {
  constexpr double kSmall = 1e-2;  // below, the series is exact to rounding
  if (z < kSmall) return 0.5 + z / 12.0 - z * z * z / 720.0;
  return -1.0 / std::expm1(-z) - 1.0 / z;
}

}  // namespace

ImplicitForce calcImplicitForce(const ForceLaw& force, double rate, double inverse_mass, double h, double theta) {
  const double k = force.stiffness;
  const double stiff = h * h * k * inverse_mass;
  const double damping = force.damping + (stiff > 1.0 ? 0.5 * h * k * (1.0 - 1.0 / stiff) : 0.0);
  const double share = calcDampingShare(h * damping * inverse_mass);
  const double F = -k * (force.stretch + (0.5 - theta) * h * rate) - damping * (rate - force.rate);
  ImplicitForce result;
  result.compliance = 1.0 / (h * share * damping + std::max(0.25, 0.5 * (1.0 - theta)) * h * h * k);
  result.bias = -rate - result.compliance * h * F;
  if (inverse_mass > 0.0) result.share = inverse_mass / (inverse_mass + result.compliance);
  return result;
}

DriveRows::DriveRows() : factor_(kDriveProximal) {}

// Equalities of the island, by which a drive moves more than its own bodies.
void DriveRows::collectHeld(const StepView& step, const Island& island) {
  held_.clear();
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    if (constraint.kind == LawKind::equality) addActingRows(step, constraint, held_);
  }
}

// (DRV-2)
double DriveRows::calcInverseMass(const StepView& step, const StepConstraint& drive, Eigen::Index dofs) {
  row_.setZero(dofs);
  drive_row_.clear();
  addConstraintRow(step, drive, drive.J, PlacePose::end, 0, 0.0, drive_row_);
  drive_row_.back().pull(1.0, row_);
  moved_ = row_;
  factor_.solveInPlace(moved_);
  return std::max(0.0, row_.dot(moved_));
}

void DriveRows::set(const StepView& step, const Island& island, const BlockDiagonalMatrix& M) {
  bool any = false;
  for (const int index : island.constraints) {
    StepConstraint& constraint = step.constraints[index];
    if (!constraint.force) continue;
    if (!any) {
      collectHeld(step, island);
      factor_.factor(M, held_);
      any = true;
    }
    const double inverse_mass = calcInverseMass(step, constraint, M.dimension());
    const ImplicitForce row =
        calcImplicitForce(*constraint.force, constraint.kick_rate, inverse_mass, step.h, island.theta);
    constraint.bias[0] = row.bias;
    constraint.compliance = row.compliance;
    constraint.share = row.share;
  }
}

}  // namespace cornet
