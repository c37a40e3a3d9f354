#include "cornet/sim/taut_joints.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "cornet/math/rotation.h"
#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr double kStiff = 0.5;     // h²ω² of a mode: stiffer ones turn with the body
constexpr double kStiffest = 1e8;  // beyond, the sum with the inertia is no longer positive definite to rounding
constexpr double kTilt = 1e-6;  // [rad] of the difference quotient

// Torque at the kick of what a constraint pulled with on one of its bodies, with that body tilted by `tilt`.
Vector3d calcTorque(const StepView& step, StepConstraint& constraint, double t, std::size_t member, const Vector3d& tilt) {
  const auto tiltedState = [&](int body) {
    InertialState state = calcKickState(step.bodies[body], t);
    if (body == constraint.bodies[member]) state.orientation = expMap(tilt) * state.orientation;
    return state;
  };
  constraint.law.place(step.time + t, tiltedState);
  return constraint.law.calcJacobian().middleCols<3>(static_cast<Eigen::Index>(6 * member + 3)).transpose() * constraint.pull;
}

// δ(x) = 1/(1 - e⁻ˣ) - 1/x, which makes the damping of one mode exact.
double calcModeShare(double x) { return x < 1e-4 ? 0.5 + x / 12.0 : 1.0 / -std::expm1(-x) - 1.0 / x; }

// From h²K to what the kick needs, mode by mode of (K, I).
void takeImplicitly(StepBody& body) {
  const Matrix3d I = body.asset->inertia().calcMatrix(body.now.orientation);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix3d> modes(body.stiffness, I);
  body.is_taut = modes.eigenvalues().maxCoeff() > kStiff;
  if (!body.is_taut) return;
  Vector3d added, taken;
  for (int k = 0; k < 3; ++k) {
    const double z = std::clamp(modes.eigenvalues()[k], 0.0, kStiffest);
    taken[k] = z > 1.0 ? 0.5 * (z - 1.0) : 0.0;
    added[k] = calcModeShare(taken[k]) * taken[k] + 0.25 * z;
  }
  const Matrix3d axes = I * modes.eigenvectors();
  body.stiffness = axes * added.asDiagonal() * axes.transpose();
  body.damping = axes * taken.asDiagonal() * axes.transpose();
}

}  // namespace

void setStiffness(const StepView& step, const Island& island, double theta) {
  for (const int index : island.bodies) {
    step.bodies[index].is_taut = false;
    step.bodies[index].stiffness.setZero();
    step.bodies[index].taut_joint = -1;
  }
  const double t = theta * step.h;
  for (const int index : island.constraints) {
    StepConstraint& constraint = step.constraints[index];
    if (constraint.kind != LawKind::equality) continue;
    for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
      StepBody& body = step.bodies[constraint.bodies[i]];
      if (!body.moves()) continue;
      // A torque cannot change faster with the tilt than this.
      const double most = constraint.pull.cwiseAbs().dot(constraint.J.middleCols<3>(static_cast<Eigen::Index>(6 * i + 3)).rowwise().norm());
      const double h2 = step.h * step.h;
      if (!(h2 * most > 0.5 * kStiff * body.asset->inertia().moments().minCoeff())) continue;
      Matrix3d K;
      for (int k = 0; k < 3; ++k) {
        const Vector3d tilt = kTilt * Vector3d::Unit(k);
        K.col(k) = -(calcTorque(step, constraint, t, i, tilt) - calcTorque(step, constraint, t, i, -tilt)) / (2.0 * kTilt);
      }
      body.stiffness += 0.5 * h2 * (K + K.transpose());
      body.is_taut = true;
      if (body.taut_joint < 0 || most > body.taut_pull) {
        body.taut_joint = index;
        body.taut_pull = most;
      }
    }
  }
  for (const int index : island.bodies) {
    StepBody& body = step.bodies[index];
    if (body.is_taut) takeImplicitly(body);
  }
}

}  // namespace cornet
