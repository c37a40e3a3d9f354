#pragma once

#include <vector>

#include "cornet/problem/contact_problem.h"

/// The contact problem in Delassus form, the velocities eliminated.
///
///   u = W λ + q + R λ,     (u_i, λ_i) obeys law i;     W = J M⁻¹ Jᵀ,  q = J v_free + b        (P-2)
///
/// W is used as stored: files have it slightly unsymmetric, rank deficient, even indefinite at the
/// level of their printed digits. Every block row of W holds its diagonal block.
namespace cornet {

struct DelassusProblem {
  ConstraintRows rows;
  BlockSparseMatrix W;
  VectorXd q;
  VectorXd bias;    // the part of q that is bias (for the energy balance); zero when unknown
  double dt = 0.0;  // [s]; 0 = unknown

  /// Throws std::invalid_argument as ContactProblem::validate does.
  void validate() const;
};

bool identical(const DelassusProblem& a, const DelassusProblem& b);

/// Eliminates the velocities. Laws, levers, compliance, origins and keys are carried over. Throws
/// std::invalid_argument when M is not positive definite.
DelassusProblem makeDelassusProblem(const ContactProblem& problem);

/// From a dense matrix; blocks that are zero are left out. Throws std::invalid_argument when the sizes
/// do not match the rows or an entry is not finite.
DelassusProblem makeDelassusProblem(ConstraintRows rows, const MatrixXd& W, const VectorXd& q);

}  // namespace cornet
