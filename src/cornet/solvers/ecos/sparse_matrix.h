#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include "cornet/math/types.h"

namespace cornet {

/// A sparse matrix as ECOS reads it: compressed by columns, rows ascending in a column. Column j
/// holds the entries col_ptrs[j] .. col_ptrs[j + 1] of data and row_indices.
struct ECOSSparseMatrix {
  /// Entries of magnitude above the threshold. Throws std::invalid_argument when one is not finite.
  static ECOSSparseMatrix fromDense(const Eigen::MatrixXd& matrix, double threshold = 1e-12);
  /// All stored entries, in the same places.
  static ECOSSparseMatrix fromSparse(const Eigen::SparseMatrix<double>& matrix);

  std::vector<double> data;
  std::vector<long> row_indices;
  std::vector<long> col_ptrs;
  long nrows = 0;
  long ncols = 0;
  long nnz = 0;
};

}  // namespace cornet
