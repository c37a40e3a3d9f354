#pragma once

#include <vector>

#include <Eigen/QR>

#include "cornet/math/block_cholesky.h"
#include "cornet/problem/contact_problem.h"

/// Rows of a contact problem in the metric of the masses, and an orthogonal decomposition of some of them, E, that are to be met:
///
///   M = L Lᵀ,   A = [J L⁻ᵀ, √R],   u = A Aᵀλ + J v_free + b
///   A_Eᵀ S P = [Q₁ Q₂] [T; 0]:   meet(m) the shortest δ with A_E δ = m,   pull(δ) the shortest S⁻¹λ_E with A_Eᵀλ_E = δ
///
/// S scales rows to length one, so that neither mass ratios nor rows that repeat each other spoil what is met. Dense: the cost is
/// that of an orthogonal decomposition, (dof) x (rows of E)².
namespace cornet::exact {

class RowFactors {
 public:
  static constexpr int kMostRows = 600;  // a decomposition takes the cube of it

  /// Whether A has columns for compliance: without them rows must have none to be met.
  enum class Compliance : std::uint8_t { left_out, in_columns };

  /// Turns to a problem. False when M is not positive definite.
  bool reset(const ContactProblem& problem, Compliance compliance);
  /// The rows E.
  void decompose(const std::vector<int>& rows);

  VectorXd meet(const VectorXd& missing) const;
  VectorXd pull(const VectorXd& change) const;
  /// Impulses of E that hold each other in balance, A_Eᵀ λ_E = 0: a basis, column by column.
  MatrixXd makeBalanced() const;

  /// A of all rows.
  const MatrixXd& A() const { return A_; }
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd>& factors() const { return factors_; }

 private:
  BlockCholesky mass_;
  MatrixXd A_, At_;
  VectorXd scale_;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors_;
};

}  // namespace cornet::exact
