#include "cornet/body/free_body.h"

namespace cornet {
namespace {

Quaterniond orientationOf(const Tree::Vector& q) { return {q[3], q[4], q[5], q[6]}; }

}  // namespace

FreeBody::FreeBody(const MassProperties& mass) : mass_(mass) { mass.validate("free body"); }

Eigen::Matrix<double, 6, 6> FreeBody::calcMassMatrix(const Quaterniond& q_WB) const {
  const Matrix3d R = q_WB.toRotationMatrix();
  const Matrix3d inertia = R * mass_.inertia * R.transpose();
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();
  M.topLeftCorner<3, 3>().diagonal().setConstant(mass_.mass);
  M.bottomRightCorner<3, 3>() = 0.5 * (inertia + inertia.transpose());
  return M;
}

Eigen::Matrix<double, 6, 1> FreeBody::calcSmoothForce(const InertialState& state,
                                                      const Vector3d& gravity,
                                                      const BodyForce& external) const {
  Eigen::Matrix<double, 6, 1> f;
  f.head<3>() = mass_.mass * gravity + external.force;
  const Vector3d momentum = state.toWorld(mass_.inertia * state.toBody(state.omega));
  f.tail<3>() = external.torque - state.omega.cross(momentum);
  return f;
}

void FreeBody::calcMassMatrix(const Vector& q, Eigen::Ref<MatrixXd> M) const {
  M = calcMassMatrix(orientationOf(q));
}

void FreeBody::calcSmoothForce(const Vector& q, const Vector& v, const Vector3d& gravity,
                               std::span<const BodyForce> external, Output f) const {
  f = calcSmoothForce(calcBodyState(q, v, 0), gravity,
                      external.empty() ? BodyForce{} : external.front());
}

InertialState FreeBody::calcBodyState(const Vector& q, const Vector& v, int) const {
  return {q.head<3>(), orientationOf(q), v.head<3>(), v.tail<3>()};
}

void FreeBody::calcBodyJacobian(const Vector&, int, Eigen::Ref<MatrixXd> J) const {
  J.setIdentity();
}

void FreeBody::advance(const Vector& v, double dt, Output q) const {
  const InertialState next = cornet::advance(calcBodyState(q, v, 0), dt);
  q.head<3>() = next.position;
  q.tail<4>() << next.orientation.w(), next.orientation.x(), next.orientation.y(),
      next.orientation.z();
}

}  // namespace cornet
