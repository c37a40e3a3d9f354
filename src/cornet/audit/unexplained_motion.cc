#include "cornet/audit/unexplained_motion.h"

#include <algorithm>
#include <cmath>

#include "cornet/math/rotation.h"

namespace cornet {
namespace {

// [rad] turning is judged with ω alone where that explains it to this much; bodies that gyrate fast need free rotation.
constexpr double kPlainTurn = 1e-4;

// How far a point lies outside the ball of this radius vector.
double calcOutside(const Vector3d& point, const Vector3d& radius) {
  const double far = point.squaredNorm(), near = radius.squaredNorm();
  return far <= near ? 0.0 : std::sqrt(far) - std::sqrt(near);
}

// Rotation vector from one orientation to the other; of small turns to 1e-6 rad.
Vector3d calcTurn(const Quaterniond& from, const Quaterniond& to) {
  if (to.coeffs() == from.coeffs()) return Vector3d::Zero();
  const Quaterniond turn = to * from.conjugate();
  constexpr double kSmall = 1e-4;  // square of the sine of half of it
  if (turn.vec().squaredNorm() > kSmall) return logMap(turn);
  return turn.w() > 0.0 ? Vector3d(2.0 * turn.vec()) : Vector3d(-2.0 * turn.vec());
}

// The angle by which the end lies outside the ball between turning freely with the state before and with that after.
double calcTurnBesidesFreeOnes(const InertialState& before, const InertialState& after, double h, const PrincipalInertia& inertia) {
  InertialState forward = before;
  inertia.turnFreely(h, forward.orientation, forward.omega);
  InertialState backward = after;
  inertia.turnFreely(-h, backward.orientation, backward.omega);
  const Quaterniond other_end = after.orientation * backward.orientation.conjugate() * before.orientation;
  const Vector3d diameter = logMap(other_end * forward.orientation.conjugate());
  const Quaterniond centre = expMap(0.5 * diameter) * forward.orientation;
  return std::max(0.0, logMap(after.orientation * centre.conjugate()).norm() - 0.5 * diameter.norm());
}

}  // namespace

double calcUnexplainedWay(const InertialState& before, const InertialState& after, double h, const Vector3d& force, double mass) {
  const Vector3d off = after.position - before.position - 0.5 * h * (before.velocity + after.velocity);
  const double way = calcOutside(off, 0.5 * h * (after.velocity - before.velocity));
  return way > 0.0 ? std::max(0.0, way - 0.5 * h * h / mass * force.norm()) : way;
}

// Where the velocity hardly changes in free rotation, by h ω² (I_max/I_min - 1) at most, it stands for that.
double calcUnexplainedTurn(const InertialState& before, const InertialState& after, double h, const PrincipalInertia* inertia, double unequal) {
  const Vector3d& w0 = before.omega;
  const Vector3d& w1 = after.omega;
  if (inertia == nullptr || 0.5 * h * h * std::max(w0.squaredNorm(), w1.squaredNorm()) * unequal < kPlainTurn) {
    const Vector3d turn = calcTurn(before.orientation, after.orientation);
    const double angle = calcOutside(turn - 0.5 * h * (w0 + w1), 0.5 * h * (w1 - w0));
    if (inertia == nullptr || angle <= kPlainTurn) return angle;
  }
  return calcTurnBesidesFreeOnes(before, after, h, *inertia);
}

}  // namespace cornet
