#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cornet/math/block_cholesky.h"
#include "cornet/problem/contact_problem.h"
#include "cornet/problem/delassus_problem.h"

/// The contact problem in energy units, the one the exact solver works on:
///
///   λ = S r,   A = S (J M⁻¹Jᵀ + R) S,   c = S q,   z = S û:      r, z of size √J                (EXACT-3)
///   S_i = σ_i diag(1, μ, μ) for a cone, σ_i = (mean diag of P A_ii P)^-½, P = diag(1, μ, μ);
///   S = A_rr^-½ for any other row
///
/// The friction cone becomes the unit cone and A gets a unit diagonal, so tolerances need no units.
/// In velocity form A = B Bᵀ + R with B = S J L⁻ᵀ, M = L Lᵀ, is not formed.
///
/// Rows whose impulse is known are gone: the tangents of a cone with μ = 0, and box rows with equal
/// bounds, whose impulse is part of c. What is left is either a cone or rows with bounds
/// lower ≤ r ≤ upper, infinite where there is none: an equality has two infinite ones. A Coulomb
/// cone with μ above 1000, ∞ included, is scaled with a stand-in p for μ: its scaled coefficient is
/// then μ/p, and a barrier that takes the unit cone for it is right as long as it sticks.
namespace cornet::exact {

/// Laws and data of the rows that are left.
struct ScaledRows {
  int blockCount() const { return static_cast<int>(offset.size()) - 1; }
  int rowCount() const { return offset.back(); }
  int size(int i) const { return offset[i + 1] - offset[i]; }

  std::vector<int> offset{0};
  std::vector<std::uint8_t> is_cone;  // per block
  std::vector<double> mu;             // per block: 1 for a cone, more with a stand-in
  std::vector<double> lower, upper;   // per row
  std::vector<double> compliance;     // per row: S R S
  VectorXd diagonal;                  // of A
  VectorXd c;
};

class ScaledProblem {
 public:
  void reset(const DelassusProblem& problem, FrictionModel model);
  void reset(const ContactProblem& problem, FrictionModel model);

  const ScaledRows& rows() const { return rows_; }
  /// A without its compliance, or B: what the problem came with.
  bool hasVelocityForm() const { return velocity_form_; }
  const BlockSparseMatrix& A() const { return A_; }
  const BlockSparseMatrix& B() const { return B_; }

  /// Forms A from B; for problems in velocity form.
  void formDelassus();
  /// Blocks that A has or would have.
  double delassusBlockCount() const;

  /// Impulses of the problem <-> scaled ones; known impulses are put in place.
  void toScaled(const VectorXd& lambda, VectorXd& r) const;
  void toImpulses(const VectorXd& r, VectorXd& lambda) const;
  /// Row of the problem that a scaled row stands for, and its S.
  int source(int row) const { return source_[row]; }
  double scale(int row) const { return scale_[row]; }

 private:
  void chooseRows(const ConstraintRows& laws, FrictionModel model);
  void setScale(const ConstraintRows& laws, const VectorXd& diagonal);
  void listTouchingBlocks();
  void setData(const ConstraintRows& laws, const VectorXd& q);

  ScaledRows rows_;
  FrictionModel model_ = FrictionModel::coulomb;
  bool velocity_form_ = false;
  BlockSparseMatrix A_, B_;
  std::vector<int> block_;   // scaled block -> block of the problem
  std::vector<int> slot_;    // block of the problem -> scaled block, -1 = gone
  std::vector<int> source_;  // scaled row -> row of the problem
  VectorXd scale_;           // S per scaled row
  VectorXd known_;           // per row of the problem: its impulse if it is known, else 0
  bool has_known_ = false;
  std::vector<int> touching_begin_, touching_row_, touching_block_;  // blocks of B by tree
  std::vector<int> columns_;
  BlockCholesky mass_;
  VectorXd diagonal_, work_, velocity_;
};

}  // namespace cornet::exact
