#include "cornet/body/free_body.h"

namespace cornet {
namespace {

Quaterniond orientationOf(const Eigen::Ref<const VectorXd>& q) { return {q[3], q[4], q[5], q[6]}; }

void setOrientation(const Quaterniond& orientation, Eigen::Ref<VectorXd> q) {
  q.tail<4>() << orientation.w(), orientation.x(), orientation.y(), orientation.z();
}

// Throws before anything is made of impossible numbers.
const MassProperties& requireMass(const MassProperties& mass) {
  mass.validate("free body");
  return mass;
}

}  // namespace

FreeBody::FreeBody(const MassProperties& mass) : mass_(requireMass(mass)), inertia_(mass.inertia) {}

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

std::unique_ptr<TreeCache> FreeBody::makeCache() const {
  auto cache = std::make_unique<TreeCache>();
  cache->links.resize(1);
  cache->jacobians.push_back(LinkJacobian::Identity(6, 6));
  cache->M.setZero(6, 6);
  return cache;
}

void FreeBody::evaluate(const Vector& q, TreeLevel level, TreeCache& cache) const {
  cache.links[0] = {q.head<3>(), orientationOf(q)};
  if (level == TreeLevel::dynamics) cache.M = calcMassMatrix(cache.links[0].orientation);
}

void FreeBody::calcCoriolis(const Vector& v, TreeCache& cache, Output c) const {
  const Vector3d omega = v.tail<3>();
  c.head<3>().setZero();
  c.tail<3>() = omega.cross(inertia_.calcMomentum(cache.links[0].orientation, omega));
}

void FreeBody::advance(const Vector& v, double t, Output q) const {
  q.head<3>() += t * v.head<3>();
  setOrientation((expMap(Vector3d(t * v.tail<3>())) * orientationOf(q)).normalized(), q);
}

void FreeBody::driftToKick(double t, TreeCache& cache, Output q, Output v) const {
  q.head<3>() += t * v.head<3>();
  Quaterniond orientation = orientationOf(q);
  Vector3d omega = v.tail<3>();
  inertia_.turnFreely(t, orientation, omega);
  setOrientation(orientation, q);
  v.tail<3>() = omega;
  evaluate(q, TreeLevel::dynamics, cache);
}

void FreeBody::driftFromKick(double t, TreeCache& cache, Output q, Output v) const { driftToKick(t, cache, q, v); }

void FreeBody::displace(const Vector& d, TreeCache& cache, Output q, Output v) const {
  const Vector3d L = inertia_.calcMomentum(orientationOf(q), v.tail<3>());
  advance(d, 1.0, q);
  v.tail<3>() = inertia_.calcOmega(orientationOf(q), L);
  evaluate(q, TreeLevel::dynamics, cache);
}

}  // namespace cornet
