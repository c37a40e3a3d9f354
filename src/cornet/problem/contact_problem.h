#pragma once

#include <vector>

#include "cornet/math/block_diagonal.h"
#include "cornet/math/block_sparse.h"
#include "cornet/problem/constraint_rows.h"

/// The contact problem in velocity form.
///
///   M (v - v_free) = Jᵀλ,     u = J v + b + R λ,     (u_i, λ_i) obeys law i                     (P-1)
///
///   symbol   size                meaning                                            field
///   M        nv x nv             SPD mass matrix, one dense block per tree          M
///   J        rows x nv           block-sparse: block rows are constraint blocks,    J
///                                block columns trees
///   v_free   nv                  velocity without constraint impulses               v_free
///   b        rows                bias velocity (gap/dt, kinematic bodies) [m/s]     bias
///   R        rows                compliance, diagonal, ≥ 0                          rows.compliance
///
/// Signs: u is the velocity of B relative to A, u_n > 0 separates; λ acts on B, -λ on A.
namespace cornet {

struct ContactProblem {
  ConstraintRows rows;
  BlockDiagonalMatrix M;
  BlockSparseMatrix J;
  VectorXd v_free;
  VectorXd bias;
  double dt = 0.0;  // [s] step the impulses belong to; 0 = unknown

  int dofCount() const { return M.dimension(); }

  /// Throws std::invalid_argument naming the object, the value and what was expected when sizes
  /// disagree, an entry is not finite, or a mass block is not symmetric positive definite.
  void validate() const;
};

/// Bit-equal data, pattern of J included.
bool identical(const ContactProblem& a, const ContactProblem& b);

}  // namespace cornet
