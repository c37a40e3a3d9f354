#include "cornet/sim/taut_joints.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "cornet/math/rotation.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/place_rows.h"

namespace cornet {
namespace {

constexpr double kStiff = 0.5;     // h²ω² of a mode: stiffer ones turn with the body
constexpr double kStiffest = 1e8;  // beyond, the sum with the inertia is no longer positive definite to rounding
constexpr double kTilt = 1e-6;     // [rad] of the difference quotient
constexpr double kTautProximal = 1e-8;  // joints give way by this share of what they hold, which z needs no better than

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

// From h²K to what the kick needs, mode by mode.
void takeImplicitly(const Matrix3d& P, StepBody& body) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> pull(body.stiffness);
  const Matrix3d R = pull.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() * pull.eigenvectors().transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix3d> modes(R * P * R.transpose());
  body.is_taut = modes.eigenvalues().maxCoeff() > kStiff;
  Vector3d added, taken;
  for (int k = 0; k < 3; ++k) {
    const double z = std::clamp(modes.eigenvalues()[k], 0.0, kStiffest);
    const double d = z > 1.0 ? 0.5 * (z - 1.0) : 0.0;
    taken[k] = d > 0.0 ? d / z : 0.0;
    added[k] = calcModeShare(d) * taken[k] + 0.25;
  }
  const Matrix3d axes = R.transpose() * modes.eigenvectors();
  body.stiffness = axes * added.asDiagonal() * axes.transpose();
  body.damping = axes * taken.asDiagonal() * axes.transpose();
}

}  // namespace

TautJoints::TautJoints() : factor_(kTautProximal) {}

// Adds h²K of one joint to its bodies; whether that may be stiff for any of them.
bool TautJoints::addStiffness(const StepView& step, StepConstraint& constraint, double t) {
  bool any = false;
  const double h2 = step.h * step.h;
  for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
    StepBody& body = step.bodies[constraint.bodies[i]];
    if (!body.moves()) continue;
    // A torque cannot change faster with the tilt than this.
    const double most = constraint.pull.cwiseAbs().dot(constraint.J.middleCols<3>(static_cast<Eigen::Index>(6 * i + 3)).rowwise().norm());
    if (!(h2 * most > 0.5 * kStiff * body.asset->inertia().moments().minCoeff())) continue;
    Matrix3d K;
    for (int k = 0; k < 3; ++k) {
      const Vector3d tilt = kTilt * Vector3d::Unit(k);
      K.col(k) = -(calcTorque(step, constraint, t, i, tilt) - calcTorque(step, constraint, t, i, -tilt)) / (2.0 * kTilt);
    }
    body.stiffness += 0.5 * h2 * (K + K.transpose());
    body.is_taut = any = true;
    if (body.taut_joint < 0 || most > body.taut_pull) {
      body.taut_joint = constraint.index;
      body.taut_pull = most;
    }
  }
  return any;
}

// Masses of the island and rows of its joints, with factors for what joints leave.
void TautJoints::collectJoints(const StepView& step, const Island& island) {
  M_.clear();
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    StepBody& body = step.bodies[island.bodies[k]];
    body.block = static_cast<int>(k);
    M_.appendBlock(6);
    auto M = M_.block(body.block);
    M.diagonal().head<3>().setConstant(body.asset->mass().mass);
    M.bottomRightCorner<3, 3>() = body.asset->inertia().calcMatrix(body.now.orientation);
  }
  held_.clear();
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    if (constraint.kind == LawKind::equality) addActingRows(step, constraint, held_);
  }
  factor_.factor(M_, held_);
}

// P of a body.
Matrix3d TautJoints::calcMobility(const StepBody& body) {
  Matrix3d P;
  for (int k = 0; k < 3; ++k) {
    turn_.setZero(M_.dimension());
    turn_[6 * body.block + 3 + k] = 1.0;
    factor_.solveInPlace(turn_);
    P.col(k) = turn_.segment<3>(6 * body.block + 3);
  }
  return 0.5 * (P + P.transpose());
}

void TautJoints::set(const StepView& step, const Island& island, double theta) {
  for (const int index : island.bodies) {
    StepBody& body = step.bodies[index];
    body.is_taut = false;
    body.stiffness.setZero();
    body.damping.setZero();
    body.taut_joint = -1;
  }
  bool any = false;
  for (const int index : island.constraints) {
    StepConstraint& constraint = step.constraints[index];
    if (constraint.kind == LawKind::equality) any |= addStiffness(step, constraint, theta * step.h);
  }
  if (!any) return;
  collectJoints(step, island);
  for (const int index : island.bodies) {
    StepBody& body = step.bodies[index];
    if (body.is_taut) takeImplicitly(calcMobility(body), body);
  }
}

}  // namespace cornet
