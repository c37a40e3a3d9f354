#include "cornet/solvers/icf/icf_bodies.h"

#include <cmath>
#include <stdexcept>

#include <Eigen/Cholesky>
#include <fmt/format.h>

namespace cornet {

void IcfTrees::clear() {
  start_.assign(1, 0);
  mass_.clear();
  v0_.clear();
  k0_.clear();
  damping_.clear();
}

void IcfTrees::reserve(int trees, int velocities_each) {
  start_.reserve(static_cast<std::size_t>(trees) + 1);
  for (auto* pool : {&mass_, &A_, &factor_}) pool->reserve(trees, velocities_each * velocities_each);
  for (auto* values : {&v0_, &k0_, &damping_, &r_, &scale_}) {
    values->reserve(static_cast<std::size_t>(trees) * static_cast<std::size_t>(velocities_each));
  }
}

int IcfTrees::add(const MatrixXd& mass, const VectorXd& v0, const VectorXd& k0) {
  return add(mass, v0, k0, VectorXd::Zero(v0.size()));
}

int IcfTrees::add(const MatrixXd& mass, const VectorXd& v0, const VectorXd& k0, const VectorXd& damping) {
  const Eigen::Index n = v0.size();
  if (n == 0 || mass.rows() != n || mass.cols() != n || k0.size() != n || damping.size() != n) {
    throw std::invalid_argument(fmt::format("tree {}: mass is {} x {}, v0 {}, k0 {}, damping {}; give all the size of v0, at least 1",
                                            count(), mass.rows(), mass.cols(), n, k0.size(), damping.size()));
  }
  if (!mass.allFinite() || !v0.allFinite() || !k0.allFinite() || !damping.allFinite()) {
    throw std::invalid_argument(fmt::format("tree {}: mass, v0, k0 or damping is not finite; give finite numbers", count()));
  }
  if (damping.minCoeff() < 0.0) {
    throw std::invalid_argument(fmt::format("tree {}: damping {} is negative; give at least 0", count(), damping.minCoeff()));
  }
  mass_.add(static_cast<int>(n), static_cast<int>(n)) = mass;
  v0_.insert(v0_.end(), v0.begin(), v0.end());
  k0_.insert(k0_.end(), k0.begin(), k0.end());
  damping_.insert(damping_.end(), damping.begin(), damping.end());
  start_.push_back(start_.back() + static_cast<int>(n));
  return count() - 1;
}

void IcfTrees::factorMass() {
  factor_.resizeLike(mass_);
  A_.resizeLike(mass_);
  scale_.resize(v0_.size());
  r_.resize(v0_.size());
  for (int t = 0; t < count(); ++t) {
    auto L = factor_[t];
    L = mass_[t];
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(L);
    if (factor.info() != Eigen::Success) {
      throw std::invalid_argument(fmt::format("tree {}: its mass block is not positive definite; give every velocity mass", t));
    }
    for (int i = 0; i < size(t); ++i) scale_[static_cast<std::size_t>(start_[t] + i)] = 1.0 / std::sqrt(mass_[t](i, i));
  }
}

void IcfTrees::setTimeStep(double h) {
  for (int t = 0; t < count(); ++t) {
    auto A_t = A_[t];
    A_t = 0.5 * (mass_[t] + mass_[t].transpose());
    A_t.diagonal() += h * damping(t);
    Eigen::Map<VectorXd> r_t(r_.data() + start_[t], size(t));
    r_t.noalias() = A_t * v0(t);
    r_t -= h * k0(t);
  }
}

void IcfBodies::clear() {
  tree_.clear();
  jacobian_.clear();
  origin_.clear();
  jacobians_.clear();
}

void IcfBodies::reserve(int bodies, int velocities_each) {
  tree_.reserve(static_cast<std::size_t>(bodies));
  jacobian_.reserve(static_cast<std::size_t>(bodies));
  origin_.reserve(bodies);
  jacobians_.reserve(bodies, 6 * velocities_each);
}

int IcfBodies::add(int tree, const Vector3d& p_WB, const Matrix6Xd& J) {
  if (!J.allFinite()) {
    throw std::invalid_argument(fmt::format("body {}: its Jacobian is not finite; give finite numbers", count()));
  }
  addFree(tree, p_WB);
  jacobian_.back() = jacobians_.size();
  jacobians_.add(6, static_cast<int>(J.cols())) = J;
  return count() - 1;
}

int IcfBodies::addFree(int tree, const Vector3d& p_WB) {
  if (!p_WB.allFinite()) {
    throw std::invalid_argument(fmt::format("body {}: its origin is not finite; give finite numbers", count()));
  }
  tree_.push_back(tree);
  jacobian_.push_back(-1);
  origin_.add() = p_WB;
  return count() - 1;
}

int IcfBodies::addAnchored(const Vector3d& p_WB) { return addFree(-1, p_WB); }

void IcfBodies::check(const IcfTrees& trees) const {
  for (int b = 0; b < count(); ++b) {
    const int t = tree_[b];
    if (t < -1 || t >= trees.count()) {
      throw std::invalid_argument(fmt::format("body {}: there is no tree {}; give 0 to {}, or -1", b, t, trees.count() - 1));
    }
    const Eigen::Index columns = t < 0 ? 0 : isFree(b) ? 6 : jacobian(b).cols();
    if (t >= 0 && columns != trees.size(t)) {
      throw std::invalid_argument(fmt::format("body {}: its Jacobian has {} columns; give one for each of the {} velocities of tree {}",
                                              b, columns, trees.size(t), t));
    }
  }
}

Vector6d IcfBodies::twist(int b, const Eigen::Ref<const VectorXd>& v_tree) const {
  if (isFree(b)) return v_tree.head<6>();
  return jacobian(b).lazyProduct(v_tree);
}

void IcfBodies::addForce(int b, const Vector6d& force, Eigen::Ref<VectorXd> out) const {
  if (isFree(b)) {
    out.head<6>() += force;
  } else {
    out.noalias() += jacobian(b).transpose().lazyProduct(force);
  }
}

Matrix6d shiftMatrix(const Vector3d& p) {
  Matrix6d shift = Matrix6d::Identity();
  shift.topRightCorner<3, 3>() = -skew(p);
  return shift;
}

Matrix6d calcInverseMass(const IcfTrees& trees, const IcfBodies& bodies, const BodyPair& pair, std::vector<double>& scratch) {
  Matrix6d W = Matrix6d::Zero();
  const int tree_A = bodies.tree(pair.A);
  const int tree_B = bodies.tree(pair.B);
  // Of one tree the relative Jacobian counts, of two trees each adds its own: W += (L⁻¹Jᵀ)ᵀ (L⁻¹Jᵀ).
  for (const int t : {tree_B, tree_A == tree_B ? -1 : tree_A}) {
    if (t < 0) continue;
    const int n = trees.size(t);
    scratch.assign(6 * static_cast<std::size_t>(n), 0.0);
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 6>> Z(scratch.data(), n, 6);
    for (const auto& [b, sign] : {std::pair{pair.B, 1.0}, std::pair{pair.A, -1.0}}) {
      if (bodies.tree(b) != t) continue;
      const Vector3d p = pair.p_W - bodies.origin(b);
      for (int k = 0; k < n; ++k) {
        const Vector6d unit = bodies.isFree(b) ? Vector6d(Vector6d::Unit(k)) : Vector6d(bodies.jacobian(b).col(k));
        Z.row(k) += sign * shiftTwist(unit, p).transpose();
      }
    }
    for (int c = 0; c < 6; ++c) trees.solveLower(t, Z.col(c));
    W += Z.transpose().lazyProduct(Z);
  }
  return W;
}

FreePose advancePose(const FreePose& start, const Vector6d& V, double h) {
  return {(expMap(h * V.tail<3>()) * start.q_WB).normalized(), start.p_WB + h * V.head<3>()};
}

}  // namespace cornet
