#pragma once

#include "cornet/problem/certificate.h"
#include "cornet/problem/solution.h"
#include "cornet/solvers/exact/row_factors.h"

/// The last digits of a solution whose rows repeat each other: the rows that act are met as equalities, by the smallest impulses.
///
///   E  equalities, one-sided rows with λ W > u, boxes inside their bounds, of cones that carry the normal and, where they stick, the
///      tangents;   λ_f  of the others: bounds, none of what is open, friction  -μ λ_n û_t  of what slides
///   A_E δ = -(q + A A_fᵀλ_f)_E of least length,   A_Eᵀ λ_E = δ of least length,   again where λ_f has changed       (EXACT-22)
///
/// Impulses that hold each other in balance are lost in this, and with them the rounding that they bring. Where rows that may only push
/// come out pulling, or by less than their friction needs, the least impulses in balance with which they do not are added,
///
///   min ½ρ‖t‖² + ½ Σ max(0, m - λ - N t)²,   N a basis of what A_Eᵀ takes to zero
///
/// and where there are none these rows leave E, round after round.
namespace cornet::exact {

class ActingRows {
 public:
  /// Whether the problem is small enough for dense decompositions.
  static bool isFor(const ContactProblem& problem);

  /// Better impulses than those of a solution near the one it looks for, if there are any: whether there are.
  bool improve(const ContactProblem& problem, FrictionModel model, Solution& solution);

 private:
  enum class Role : std::uint8_t { open, acts, fixed };

  void chooseRoles(const VectorXd& lambda, const VectorXd& u);
  void chooseCone(int block, const VectorXd& lambda, const VectorXd& u);
  void meet(const VectorXd& others, VectorXd& lambda) const;
  double calcNeed(int row, double margin, const VectorXd& lambda) const;
  void push(VectorXd& lambda) const;
  bool mayOnlyPush(int row) const;
  bool dropPulling(const VectorXd& lambda);
  void slide(const VectorXd& u, VectorXd& lambda) const;
  bool keepBetter(const VectorXd& lambda, Solution& solution);

  const ContactProblem* problem_ = nullptr;
  RowFactors factors_;
  Certifier certifier_;
  Certificate certificate_;
  std::vector<Role> roles_;      // of rows
  std::vector<int> acting_;      // rows of E
  std::vector<char> slides_;     // of blocks
  std::vector<int> block_of_;    // of rows
  VectorXd q_, inverse_mass_;
};

}  // namespace cornet::exact
