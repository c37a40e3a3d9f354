#pragma once

#include "cornet/solvers/exact/row_factors.h"

/// A contact problem in the velocities that its equalities leave: joints that hold bodies together are taken out, by orthogonal
/// transformations in the metric of the masses, so that neither mass ratios nor rows that repeat each other spoil the rest.
///
///   M = L Lᵀ,  A = J L⁻ᵀ,  δ = Lᵀ(v - v_free),  q = J v_free + b;    E the equalities without compliance, C all other rows
///   A_Eᵀ S P = [Q₁ Q₂] [R; 0],   δ = δ_E + Q₂ z,   A_E δ_E = -q_E of least length                   (EXACT-19)
///   M := I,  J := A_C Q₂,  b := q_C + A_C δ_E,   velocities z                                      (EXACT-20)
///   A_Eᵀ λ_E = δ_E - Q₁Q₁ᵀ A_Cᵀ λ_C                                                               (EXACT-21)
///
/// by `RowFactors`.
namespace cornet::exact {

class ReducedProblem {
 public:
  /// Whether there are equalities to take out, and not so many that this takes seconds.
  static bool isFor(const ContactProblem& problem);

  /// Turns to a problem, which must outlive its use. False when its equalities contradict each other.
  bool reset(const ContactProblem& problem);

  /// (EXACT-20).
  const ContactProblem& problem() const { return reduced_; }

  /// From impulses of all rows those of the reduced problem, and back, λ_E by (EXACT-21).
  void restrict(const VectorXd& lambda, VectorXd& reduced) const;
  void expand(const VectorXd& reduced, VectorXd& lambda) const;
  /// Makes equalities that rounding has left at velocities u exact again, by a change of λ_E.
  void refine(const VectorXd& u, VectorXd& lambda) const;

 private:
  void collectRows();

  const ContactProblem* problem_ = nullptr;
  std::vector<int> equal_, other_;  // rows of E and of C
  RowFactors factors_;              // of E
  VectorXd q_, offset_;             // q, δ_E
  ContactProblem reduced_;
};

}  // namespace cornet::exact
