#include "cornet/sim/dense_step.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/world/motion.h"

namespace cornet {
namespace {

// A cubic from its ends and the rates there, over s from 0 to 1.
struct Cubic {
  Vector3d at, rate;
  Cubic(const Vector3d& x0, const Vector3d& x1, const Vector3d& d0, const Vector3d& d1, double s) {
    const Vector3d way = x1 - x0;
    const Vector3d c2 = 3.0 * way - 2.0 * d0 - d1;
    const Vector3d c3 = d0 + d1 - 2.0 * way;
    at = x0 + s * (d0 + s * (c2 + s * c3));
    rate = d0 + s * (2.0 * c2 + 3.0 * s * c3);
  }
};

// J_l(φ) ω-ward: exp(φ + J_l⁻¹ ω dt) = exp(ω dt) exp(φ).
Matrix3d leftJacobian(const Vector3d& phi) {
  const double angle = phi.norm();
  const double square = angle * angle;
  const Matrix3d P = skew(phi);
  const double a = angle < 1e-3 ? 0.5 - square / 24.0 : (1.0 - std::cos(angle)) / square;
  const double b = angle < 1e-2 ? (1.0 - square / 20.0) / 6.0 : (angle - std::sin(angle)) / (square * angle);
  return Matrix3d::Identity() + a * P + b * P * P;
}

InertialState interpolate(const InertialState& from, const InertialState& to, double h, double s) {
  const Cubic x(from.position, to.position, h * from.velocity, h * to.velocity, s);
  const Vector3d turn = logMap(to.orientation * from.orientation.conjugate());
  const Vector3d end_rate = leftJacobian(turn).inverse() * to.omega;
  const Cubic phi(Vector3d::Zero(), turn, h * from.omega, h * end_rate, s);
  InertialState at;
  at.position = x.at;
  at.velocity = x.rate / h;
  at.orientation = (expMap(phi.at) * from.orientation).normalized();
  at.omega = leftJacobian(phi.at) * phi.rate / h;
  return at;
}

}  // namespace

void DenseStep::calcBodies(double time, BodyStates& at) const {
  if (!(time >= begin.time && time <= end.time)) {
    throw std::invalid_argument(fmt::format("time {} s: expected one within the step from {} to {} s", time, begin.time, end.time));
  }
  const BodyStates& from = time < middle.time ? begin : middle;
  const BodyStates& to = time < middle.time ? middle : end;
  const double h = to.time - from.time;
  at.time = time;
  at.bodies.resize(from.bodies.size());
  at.guided.resize(from.guided.size());
  for (std::size_t i = 0; i < at.guided.size(); ++i) {  // evenly
    const InertialState &start = from.guided[i], &last = to.guided[i];
    at.guided[i] = {start.position, start.orientation, (last.position - start.position) / h, logMap(last.orientation * start.orientation.conjugate()) / h};
    at.guided[i] = moveSteadily(at.guided[i], time - from.time);
  }
  for (std::size_t i = 0; i < at.bodies.size(); ++i) {
    at.bodies[i] = interpolate(from.bodies[i], to.bodies[i], h, (time - from.time) / h);
  }
}

}  // namespace cornet
