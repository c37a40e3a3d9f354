#pragma once

#include <vector>

#include "cornet/solvers/icf/icf_bodies.h"

/// Scalar coordinates that limits, couplers and gains act on. A row is a linear function of the velocities of the
/// trees it touches, the rate of its coordinate:
///
///   y = Σ_t a_tᵀ v_t,      w = Σ_t a_tᵀ M_t⁻¹ a_t   (its inverse effective mass)               (ICF-9)
///
/// The velocity of a joint in a tree is a row with one entry; the angle of a hinge between two free bodies is a
/// row over both of them, and a coupler is a row over those it ties.
namespace cornet {

class ScalarRows {
 public:
  /// Part of a row in one tree: `count` coefficients from velocity `first` of the tree on.
  struct Entry {
    int tree, first, count, start;
  };

  void clear();
  void reserve(int rows, int coefficients_each);

  /// Velocity `dof` of a tree. Throws std::invalid_argument when there is none.
  int addVelocity(const IcfTrees& trees, int tree, int dof);
  /// s · V of the twist V = (v; ω) of B relative to A at the point p_W, s = (linear; angular) in world axes.
  int addTwist(const IcfTrees& trees, const IcfBodies& bodies, const BodyPair& pair, const Vector6d& s);
  /// g·v of the velocities of one tree.
  int addTree(const IcfTrees& trees, int tree, const Eigen::Ref<const VectorXd>& g);
  /// Σ s_k·V_k of the twists of bodies at their origins: six numbers (linear; angular) of `s` for each of them.
  int addBodies(const IcfTrees& trees, const IcfBodies& bodies, std::span<const int> members, std::span<const double> s);
  /// c_i y_i + c_j y_j of two rows.
  int addSum(const IcfTrees& trees, int i, double c_i, int j, double c_j);

  int count() const { return static_cast<int>(begin_.size()) - 1; }
  std::span<const Entry> entries(int row) const {
    return {entries_.data() + begin_[row], static_cast<std::size_t>(begin_[row + 1] - begin_[row])};
  }
  Eigen::Map<const VectorXd> coefficients(const Entry& entry) const {
    return {coefficients_.data() + entry.start, entry.count};
  }
  double inverseMass(int row) const { return inverse_mass_[row]; }

  /// y for velocities of all trees.
  double rate(const IcfTrees& trees, int row, const VectorXd& v) const;
  /// out += aᵀ force, over the velocities of all trees.
  void addForce(const IcfTrees& trees, int row, double force, VectorXd& out) const;
  /// Inverse effective masses, once M is factored.
  void prepare(const IcfTrees& trees);

 private:
  // Opens a part in a tree with zeros; a row meets a tree once.
  Eigen::Map<VectorXd> open(int tree, int first, int count);
  Eigen::Map<VectorXd> findOrOpen(const IcfTrees& trees, int tree);

  std::vector<int> begin_{0};
  std::vector<Entry> entries_;
  std::vector<double> coefficients_, inverse_mass_, scratch_;
};

}  // namespace cornet
