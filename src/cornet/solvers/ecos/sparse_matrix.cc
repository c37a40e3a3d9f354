#include "cornet/solvers/ecos/sparse_matrix.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

void requireFinite(double value, long row, long column) {
  if (std::isfinite(value)) return;
  throw std::invalid_argument(fmt::format(
      "ECOSSparseMatrix: entry ({}, {}) is {}: not a finite number", row, column, value));
}

void append(ECOSSparseMatrix& matrix, double value, long row) {
  matrix.data.push_back(value);
  matrix.row_indices.push_back(row);
}

void closeColumn(ECOSSparseMatrix& matrix) {
  matrix.nnz = static_cast<long>(matrix.data.size());
  matrix.col_ptrs.push_back(matrix.nnz);
}

}  // namespace

ECOSSparseMatrix ECOSSparseMatrix::fromDense(const Eigen::MatrixXd& matrix, double threshold) {
  ECOSSparseMatrix result;
  result.nrows = matrix.rows();
  result.ncols = matrix.cols();
  result.col_ptrs.push_back(0);
  for (long j = 0; j < result.ncols; ++j) {
    for (long i = 0; i < result.nrows; ++i) {
      requireFinite(matrix(i, j), i, j);
      if (std::abs(matrix(i, j)) > threshold) append(result, matrix(i, j), i);
    }
    closeColumn(result);
  }
  return result;
}

ECOSSparseMatrix ECOSSparseMatrix::fromSparse(const Eigen::SparseMatrix<double>& matrix) {
  ECOSSparseMatrix result;
  result.nrows = matrix.rows();
  result.ncols = matrix.cols();
  result.data.reserve(static_cast<std::size_t>(matrix.nonZeros()));
  result.row_indices.reserve(static_cast<std::size_t>(matrix.nonZeros()));
  result.col_ptrs.push_back(0);
  for (long j = 0; j < result.ncols; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
      requireFinite(entry.value(), entry.row(), j);
      append(result, entry.value(), entry.row());
    }
    closeColumn(result);
  }
  return result;
}

}  // namespace cornet
