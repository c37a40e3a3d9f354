#include "cornet/world/constraint_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet {

ConstraintView::ConstraintView(const WorldModel& world, int index)
    : PlacedConstraint(*world.constraints()[static_cast<std::size_t>(index)],
                       world.constraints()[static_cast<std::size_t>(index)]->typeName()),
      world_(&world) {}

ConstraintView::ConstraintView(const WorldModel& world, int index, const BodyStates& at) : ConstraintView(world, index) { place(at); }

ConstraintView::ConstraintView(const WorldModel& world, int index, const State& state) : ConstraintView(world, index) {
  place(state.time, [&](int body) { return world.calcBodyState(body, state); });
}

void ConstraintView::place(const BodyStates& at) {
  place(at.time, [&](int body) { return world_->calcBodyState(body, at); });
}

ConstraintError calcConstraintError(const WorldModel& world, PlacedConstraint constraint) {
  if (constraint.constraint().law().kind == LawKind::box) return {};
  constraint.calcJacobian();
  return calcConstraintError(world, constraint, constraint.evaluate());
}

ConstraintError calcConstraintError(const WorldModel& world, const PlacedConstraint& placed, const VectorXd& C) {
  const Constraint& constraint = placed.constraint();
  const MatrixXd& J = placed.jacobian();
  const LawKind kind = constraint.law().kind;
  ConstraintError error;
  if (kind == LawKind::box) return error;
  double larger = 0.0;
  double smaller = std::numeric_limits<double>::infinity();
  for (int k = 0; k < constraint.bodyCount(); ++k) {
    const auto body = static_cast<int>(constraint.bodyIndex(k));
    if (body >= world.bodyCount()) continue;
    const double size = world.body(body).size();
    larger = std::max(larger, size);
    smaller = std::min(smaller, size);
  }
  if (!(larger > 0.0)) return error;  // none of its bodies moves
  if (placed.isTurnedOver()) return {larger, 1.0};
  double sum_metres = 0.0, sum_turn = 0.0;  // of squares
  for (Eigen::Index k = 0; k < C.size(); ++k) {
    const double off = kind == LawKind::equality ? C[k] : std::max(0.0, -C[k]);
    double linear = 0.0, angular = 0.0;
    for (Eigen::Index column = 0; column < J.cols(); column += 6) {
      linear = std::max(linear, J.row(k).segment<3>(column).norm());
      angular = std::max(angular, J.row(k).segment<3>(column + 3).norm());
    }
    constexpr double kTurnsOnly = 1e-12;
    const bool turns = linear * larger <= kTurnsOnly * angular;
    if (turns && angular > 0.0) {
      sum_turn += (off / angular) * (off / angular);
    } else {  // of a row that moves nothing C says what it says
      const double metres = linear > 0.0 ? off / linear : off;
      sum_metres += metres * metres;
    }
  }
  const double metres = std::sqrt(sum_metres), turn = std::sqrt(sum_turn);
  error.metres = std::max(metres, turn * larger);
  error.relative = std::max(metres / smaller, turn);
  return error;
}

}  // namespace cornet
