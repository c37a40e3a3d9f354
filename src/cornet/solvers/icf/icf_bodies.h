#pragma once

#include <span>
#include <vector>

#include "cornet/math/pose.h"
#include "cornet/solvers/icf/eigen_pool.h"

/// Trees and bodies of an ICF problem. A tree is a set of velocities that M couples; a body moves with the twist
/// V_b = (v; ω) = J_b v_t of its origin, in world axes; a free body has J = I, an anchored one does not move.
namespace cornet {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Mass, bias and velocity of every tree: A = M + h K, r = A v0 - h k0                             (ICF-2)
class IcfTrees {
 public:
  void clear();
  void reserve(int trees, int velocities_each);

  /// `mass` with the inertia of rotors in it; k0 [N, N m]: what it takes to hold the acceleration at zero, joint
  /// damping at v0 included; `damping` K ≥ 0 of every velocity [N s/m, N m s]. Returns the index of the tree. Throws
  /// std::invalid_argument when sizes differ, numbers are not finite or K is negative.
  int add(const MatrixXd& mass, const VectorXd& v0, const VectorXd& k0, const VectorXd& damping);
  /// The same without damping.
  int add(const MatrixXd& mass, const VectorXd& v0, const VectorXd& k0);

  int count() const { return static_cast<int>(start_.size()) - 1; }
  int start(int t) const { return start_[t]; }
  int size(int t) const { return start_[t + 1] - start_[t]; }
  int velocityCount() const { return start_.back(); }
  std::span<const int> starts() const { return start_; }

  EigenPool<MatrixXd>::ConstView mass(int t) const { return mass_[t]; }
  EigenPool<MatrixXd>::ConstView A(int t) const { return A_[t]; }
  Eigen::Map<const VectorXd> v0(int t) const { return segment(v0_, t); }
  Eigen::Map<const VectorXd> k0(int t) const { return segment(k0_, t); }
  Eigen::Map<const VectorXd> damping(int t) const { return segment(damping_, t); }
  Eigen::Map<const VectorXd> r(int t) const { return segment(r_, t); }
  /// D = diag(M)^(-1/2).
  Eigen::Map<const VectorXd> scale(int t) const { return segment(scale_, t); }
  /// X <- L⁻¹ X with M = L Lᵀ.
  template <class X>
  void solveLower(int t, X&& x) const {
    factor_[t].template triangularView<Eigen::Lower>().solveInPlace(x);
  }
  /// X <- L⁻ᵀ X.
  template <class X>
  void solveUpper(int t, X&& x) const {
    factor_[t].transpose().template triangularView<Eigen::Upper>().solveInPlace(x);
  }

  /// Factors M. Throws std::invalid_argument when a block is not positive definite.
  void factorMass();
  /// A and r at a time step.
  void setTimeStep(double h);

 private:
  Eigen::Map<const VectorXd> segment(const std::vector<double>& values, int t) const {
    return {values.data() + start_[t], size(t)};
  }
  std::vector<int> start_{0};
  EigenPool<MatrixXd> mass_, A_, factor_;
  std::vector<double> v0_, k0_, damping_, r_, scale_;
};

/// Bodies by their tree, with origin and Jacobian.
class IcfBodies {
 public:
  void clear();
  void reserve(int bodies, int velocities_each);

  /// A link: `J` has six rows and a column for each velocity of the tree. p_WB is the origin of its twist.
  int add(int tree, const Vector3d& p_WB, const Matrix6Xd& J);
  /// The body whose twist is the velocity of its tree.
  int addFree(int tree, const Vector3d& p_WB);
  int addAnchored(const Vector3d& p_WB);

  int count() const { return static_cast<int>(tree_.size()); }
  /// -1 for an anchored body.
  int tree(int b) const { return tree_[b]; }
  bool isFree(int b) const { return jacobian_[b] < 0; }
  const Vector3d& origin(int b) const { return origin_[b]; }
  /// Not of free or anchored bodies.
  EigenPool<Matrix6Xd>::ConstView jacobian(int b) const { return jacobians_[jacobian_[b]]; }

  /// Twist for the velocities of its tree.
  Vector6d twist(int b, const Eigen::Ref<const VectorXd>& v_tree) const;
  /// out += Jᵀ force.
  void addForce(int b, const Vector6d& force, Eigen::Ref<VectorXd> out) const;
  /// Throws std::invalid_argument when trees or sizes of Jacobians do not exist.
  void check(const IcfTrees& trees) const;

 private:
  std::vector<int> tree_;
  std::vector<int> jacobian_;  // -1: free or anchored
  EigenPool<Vector3d> origin_;
  EigenPool<Matrix6Xd> jacobians_;
};

/// Two bodies and the point p_W where the twist of B relative to A is taken.
struct BodyPair {
  int A = -1, B = -1;
  Vector3d p_W = Vector3d::Zero();
};

/// (v; ω) at a point that stands `p` from the origin of the twist.
inline Vector6d shiftTwist(const Vector6d& V, const Vector3d& p) {
  Vector6d shifted = V;
  shifted.head<3>() += V.tail<3>().cross(p);
  return shifted;
}
/// (f; τ) about the origin, of a force at a point that stands `p` from it.
inline Vector6d shiftForce(const Vector6d& F, const Vector3d& p) {
  Vector6d shifted = F;
  shifted.tail<3>() += p.cross(F.head<3>());
  return shifted;
}
/// The matrix Ψ of shiftTwist; its transpose is shiftForce.
Matrix6d shiftMatrix(const Vector3d& p);

/// The inverse mass that the pair shows at its point: J M⁻¹ Jᵀ of the relative twist.
Matrix6d calcInverseMass(const IcfTrees& trees, const IcfBodies& bodies, const BodyPair& pair, std::vector<double>& scratch);

/// Where a free body is after h with the twist V of its origin: p + h v, exp(h ω) q, normalised.   (ICF-1)
struct FreePose {
  Quaterniond q_WB;
  Vector3d p_WB;
};
FreePose advancePose(const FreePose& start, const Vector6d& V, double h);

}  // namespace cornet
