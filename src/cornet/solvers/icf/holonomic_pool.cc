#include "cornet/solvers/icf/holonomic_pool.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

IcfHolonomic startJoint(const IcfAnchor& P, const IcfAnchor& Q) {
  IcfHolonomic joint;
  joint.pair = {P.body, Q.body, 0.5 * (P.X_WP.p + Q.X_WP.p)};
  return joint;
}

// Two directions across an axis.
std::pair<Vector3d, Vector3d> across(const Vector3d& axis) {
  const Matrix3d R = makeContactAxes(axis);
  return {R.col(1), R.col(2)};
}

void addPointRows(const Vector3d& p_PQ, IcfHolonomic& joint) {
  for (int i = 0; i < 3; ++i) joint.addRow(Vector3d::Unit(i), Vector3d::Zero(), p_PQ(i));
}

void addRotationRows(const Matrix3d& R_WP, const Matrix3d& R_WQ, IcfHolonomic& joint) {
  const Vector3d turn = logMap(Quaterniond(Matrix3d(R_WQ * R_WP.transpose())).normalized());
  for (int i = 0; i < 3; ++i) joint.addRow(Vector3d::Zero(), Vector3d::Unit(i), turn(i));
}

}  // namespace

void IcfHolonomic::addRow(const Vector3d& linear, const Vector3d& angular, double gap) {
  if (rows == kMaxRows) throw std::invalid_argument("holonomic constraint: more than 6 rows; take another one for the rest");
  directions.col(rows) << linear, angular;
  gaps(rows++) = gap;
}

IcfHolonomic makeWeld(const IcfAnchor& P, const IcfAnchor& Q) {
  IcfHolonomic joint = startJoint(P, Q);
  addPointRows(Q.X_WP.p - P.X_WP.p, joint);
  addRotationRows(P.X_WP.R, Q.X_WP.R, joint);
  return joint;
}

IcfHolonomic makeBall(const IcfAnchor& P, const IcfAnchor& Q) {
  IcfHolonomic joint = startJoint(P, Q);
  addPointRows(Q.X_WP.p - P.X_WP.p, joint);
  return joint;
}

IcfHolonomic makeDistance(const IcfAnchor& P, const IcfAnchor& Q, double length, double stiffness, double damping) {
  // Below this the direction of p_PQ is rounding.
  constexpr double kCoincident = 1e-14;
  IcfHolonomic joint = startJoint(P, Q);
  const Vector3d p_PQ = Q.X_WP.p - P.X_WP.p;
  const double distance = p_PQ.norm();
  joint.addRow(distance > kCoincident ? Vector3d(p_PQ / distance) : Vector3d(Vector3d::UnitX()), Vector3d::Zero(), distance - length);
  joint.stiffness = stiffness;
  joint.damping = damping;
  return joint;
}

IcfHolonomic makeHinge(const IcfAnchor& P, const IcfAnchor& Q) {
  IcfHolonomic joint = makeBall(P, Q);
  const Vector3d a = P.X_WP.R.col(2);
  const Vector3d b = Q.X_WP.R.col(2);
  // The rotation that takes one axis to the other.
  const Vector3d cross = a.cross(b);
  const double sine = cross.norm();
  const auto [t1, t2] = across(a);
  const Vector3d turn = sine > 0.0 ? Vector3d(std::atan2(sine, a.dot(b)) / sine * cross)
                                   : Vector3d(a.dot(b) > 0.0 ? Vector3d(Vector3d::Zero()) : Vector3d(std::numbers::pi * t1));
  for (const Vector3d& t : {t1, t2}) joint.addRow(Vector3d::Zero(), t, t.dot(turn));
  return joint;
}

IcfHolonomic makeSlider(const IcfAnchor& P, const IcfAnchor& Q) {
  IcfHolonomic joint = startJoint(P, Q);
  const auto [t1, t2] = across(P.X_WP.R.col(2));
  for (const Vector3d& t : {t1, t2}) joint.addRow(t, Vector3d::Zero(), t.dot(Q.X_WP.p - P.X_WP.p));
  addRotationRows(P.X_WP.R, Q.X_WP.R, joint);
  return joint;
}

IcfHolonomic makeUniversal(const IcfAnchor& P, const IcfAnchor& Q) {
  IcfHolonomic joint = makeBall(P, Q);
  const Vector3d a = P.X_WP.R.col(2);
  const Vector3d b = Q.X_WP.R.col(0);
  // d(a·b)/dt = ω·(b × a): as an angle the gap is asin(a·b).
  const Vector3d cross = b.cross(a);
  const double sine = cross.norm();
  const Vector3d direction = sine > 0.0 ? Vector3d(cross / sine) : across(a).first;
  joint.addRow(Vector3d::Zero(), direction, std::atan2(a.dot(b), sine));
  return joint;
}

void HolonomicConstraintsPool::clear() { constraint_.clear(); }

void HolonomicConstraintsPool::reserve(int count) {
  constraint_.reserve(static_cast<std::size_t>(count));
  inverse_mass_.reserve(count);
  pair_inverse_mass_.reserve(count);
  hessian_.reserve(count);
  law_.reserve(6 * static_cast<std::size_t>(count));
}

int HolonomicConstraintsPool::add(const IcfHolonomic& constraint) {
  if (!constraint.directions.allFinite() || !constraint.gaps.allFinite() || !constraint.pair.p_W.allFinite()) {
    throw std::invalid_argument(
        fmt::format("holonomic constraint {}: its directions, gaps or point are not finite; give finite numbers", count()));
  }
  if (!(constraint.stiffness > 0.0) || !(constraint.damping >= 0.0) || !std::isfinite(constraint.damping)) {
    throw std::invalid_argument(
        fmt::format("holonomic constraint {}: stiffness {}, damping {}; give a positive stiffness and a damping of at least 0",
                    count(), constraint.stiffness, constraint.damping));
  }
  constraint_.push_back(constraint);
  return count() - 1;
}

void HolonomicConstraintsPool::prepare(const IcfTrees& trees, const IcfBodies& bodies) {
  inverse_mass_.resize(count());
  pair_inverse_mass_.resize(count());
  for (int c = 0; c < count(); ++c) {
    const BodyPair& pair = constraint_[c].pair;
    for (const int b : {pair.A, pair.B}) {
      if (b < 0 || b >= bodies.count()) {
        throw std::invalid_argument(
            fmt::format("holonomic constraint {}: there is no body {}; give 0 to {}", c, b, bodies.count() - 1));
      }
    }
    if (pair.A == pair.B || (bodies.tree(pair.A) < 0 && bodies.tree(pair.B) < 0)) {
      throw std::invalid_argument(
          fmt::format("holonomic constraint {}: bodies {} and {} do not move relative to each other; leave it out", c, pair.A, pair.B));
    }
    const Matrix6d W = pair_inverse_mass_[c] = calcInverseMass(trees, bodies, pair, scratch_);
    const Matrix6d& S = constraint_[c].directions;
    inverse_mass_[c] = (S.transpose() * W * S).diagonal();
  }
}

void HolonomicConstraintsPool::setTimeStep(double h) {
  law_.resize(6 * constraint_.size());
  hessian_.resize(count());
  for (int c = 0; c < count(); ++c) {
    const IcfHolonomic& constraint = constraint_[c];
    hessian_[c].setZero();
    for (int i = 0; i < constraint.rows; ++i) {
      NearRigid& law = law_[static_cast<std::size_t>(6 * c + i)];
      law = makeNearRigid(h, inverse_mass_[c](i));
      const double tau = constraint.damping / constraint.stiffness;
      const double soft = h * (h + tau) * constraint.stiffness;
      if (soft < law.stiffness) law = {soft, h + tau, 0.0};
      hessian_[c] += law.stiffness * constraint.directions.col(i) * constraint.directions.col(i).transpose();
    }
  }
}

double HolonomicConstraintsPool::impulse(int c, int row, const Vector6d& V) const {
  const NearRigid& law = this->law(c, row);
  return law.stiffness * (-constraint_[c].gaps(row) / law.horizon - constraint_[c].directions.col(row).dot(V));
}

double HolonomicConstraintsPool::calcData(const IcfFrame& frame, std::span<const int> items, const IcfMotion& motion, Data& data) const {
  double cost = 0.0;
  for (const int c : items) {
    const Vector6d V = relativeTwist(frame.bodies, pair(c), motion);
    data.force[c].setZero();
    for (int i = 0; i < constraint_[c].rows; ++i) {
      const double gamma = impulse(c, i, V);
      data.force[c] += gamma * constraint_[c].directions.col(i);
      if (law(c, i).stiffness > 0.0) cost += 0.5 * gamma * gamma / law(c, i).stiffness;
    }
  }
  return cost;
}

void HolonomicConstraintsPool::addGradient(const IcfFrame& frame, std::span<const int> items, const Data& data, VectorXd& g) const {
  for (const int c : items) addPairForce(frame, pair(c), -data.force[c], g);
}

void HolonomicConstraintsPool::addHessian(const IcfFrame& frame, std::span<const int> items, const Data&, IcfHessian& H) const {
  for (const int c : items) H.addPair(frame.bodies, pair(c), hessian_[c]);
}

void HolonomicConstraintsPool::startLine(const IcfFrame& frame, std::span<const int> items, const IcfMotion& w, Data& data,
                                         LineQuadratic& quadratic) const {
  for (const int c : items) {
    const Vector6d U = relativeTwist(frame.bodies, pair(c), w);
    quadratic.a += U.dot(hessian_[c].lazyProduct(U));
    quadratic.b -= U.dot(data.force[c]);
  }
}

}  // namespace cornet
