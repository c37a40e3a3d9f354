#pragma once

#include "cornet/math/types.h"

namespace cornet {

/// F with F Fᵀ = A up to rounding, n x rank(A), for a symmetric positive semidefinite A: Cholesky
/// with the largest remaining diagonal entry as pivot, until what remains is rounding. Only the
/// lower triangle of A is read. For an A that is slightly indefinite, F Fᵀ is a positive
/// semidefinite one nearby.
MatrixXd factorSemidefinite(MatrixXd A);

}  // namespace cornet
