#include "cornet/world/constraint_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet {

ConstraintView::ConstraintView(const WorldModel& world, int the_index, const BodyStates& at)
    : constraint(*world.constraints()[static_cast<std::size_t>(the_index)]),
      index(the_index),
      time(at.time) {
  collectStates(constraint, [&](int body) { return world.calcBodyState(body, at); }, states);
}

ConstraintView::ConstraintView(const WorldModel& world, int the_index, const State& state)
    : constraint(*world.constraints()[static_cast<std::size_t>(the_index)]),
      index(the_index),
      time(state.time) {
  collectStates(constraint, [&](int body) { return world.calcBodyState(body, state); }, states);
}

ConstraintError calcConstraintError(const WorldModel& world, const ConstraintView& view) {
  if (view.constraint.law().kind == LawKind::box) return {};
  return calcConstraintError(world, view, view.calcJacobian(), view.evaluate());
}

ConstraintError calcConstraintError(const WorldModel& world, const ConstraintView& view, const MatrixXd& J, const VectorXd& C) {
  const LawKind kind = view.constraint.law().kind;
  ConstraintError error;
  if (kind == LawKind::box) return error;
  double larger = 0.0;
  double smaller = std::numeric_limits<double>::infinity();
  for (int k = 0; k < view.constraint.bodyCount(); ++k) {
    const auto body = static_cast<int>(view.constraint.bodyIndex(k));
    if (body >= world.bodyCount()) continue;
    const double size = world.body(body).size();
    larger = std::max(larger, size);
    smaller = std::min(smaller, size);
  }
  if (!(larger > 0.0)) return error;  // none of its bodies moves
  if (view.constraint.isTurnedOverAt(view.states)) return {larger, 1.0};
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
