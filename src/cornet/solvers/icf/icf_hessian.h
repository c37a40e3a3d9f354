#pragma once

#include <span>
#include <vector>

#include "cornet/math/ldu_plan.h"
#include "cornet/solvers/icf/icf_bodies.h"
#include "cornet/solvers/icf/scalar_rows.h"

/// H = A + Σ Jᵀ G J of one island: a block for each tree, off the diagonal one for each two trees that share a
/// patch, a holonomic pair or a row. It is scaled to a unit diagonal before it is factored, so that pivots are
/// lost by rounding only, whatever the masses:
///
///   S H S = L D Lᵀ,   S = diag(H)^(-1/2)                                                       (ICF-16)
namespace cornet {

class IcfHessian {
 public:
  /// Trees of the island, ascending, and which of them are coupled; `place` is the position of every tree in its
  /// island. The plan of the pattern comes from the cache, or is made and put there.
  void reset(const IcfTrees& trees, std::span<const int> island, std::span<const int> place,
             std::span<const std::pair<int, int>> pairs, LduPlanCache& plans);

  /// H = A.
  void setMomentum(const IcfTrees& trees);
  /// H += J_pairᵀ G J_pair, G for the twist of B relative to A at the point of the pair.
  void addPair(const IcfBodies& bodies, const BodyPair& pair, const Matrix6d& G);
  /// H += c a aᵀ.
  void addRow(const ScalarRows& rows, int row, double c);

  /// H itself, until it is factored; for tests and for those who look.
  MatrixXd makeDense();

  /// Factors; returns false when a pivot was lost.
  bool factor();
  /// x <- H⁻¹ x over the velocities of the island, tree by tree.
  void solveInPlace(VectorXd& x) const;
  int dimension() const { return dimension_; }

 private:
  // Adds to rows i + [first_i, ...) and columns j + [first_j, ...) of H, trees by their place.
  void addBlock(int i, int first_i, int j, int first_j, const Eigen::Ref<const MatrixXd, 0, Eigen::OuterStride<>>& block);
  void findScale();

  LduPlan plan_{{}, LduStructure(BlockGraph()), {}};
  BlockLdu ldu_;
  std::vector<int> pattern_;
  std::span<const int> island_, place_;
  std::vector<int> start_;
  VectorXd scale_;
  std::vector<double> side_[2], product_[2], block_;  // J of the sides of a pair, G J, and Jᵀ G J
  int dimension_ = 0;
};

}  // namespace cornet
