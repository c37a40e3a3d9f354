#pragma once

#include <span>
#include <vector>

#include "cornet/math/types.h"

namespace cornet {

/// Sparse matrix of dense blocks, compressed by block rows: block row i holds the blocks
/// begin(i) .. end(i), block k stands in block column column(k), columns ascending in a row.
/// Rows and columns are cut by offsets (first entry of each block, total at the end).
class BlockSparseMatrix {
 public:
  BlockSparseMatrix() = default;
  /// An empty pattern; append blocks with `appendRow` and `appendBlock`.
  explicit BlockSparseMatrix(std::span<const int> column_offsets);
  /// Back to an empty pattern with these columns; memory is kept.
  void reset(std::span<const int> column_offsets);

  /// Opens the next block row, of `rows` scalar rows.
  void appendRow(int rows);
  /// Adds a block to the open row and returns its index; its values are zero. Block columns of a
  /// row are appended in ascending order.
  int appendBlock(int block_column);

  int rowBlockCount() const { return static_cast<int>(row_offset_.size()) - 1; }
  int columnBlockCount() const { return static_cast<int>(column_offset_.size()) - 1; }
  int blockCount() const { return static_cast<int>(column_.size()); }
  int rows() const { return row_offset_.back(); }
  int cols() const { return column_offset_.back(); }

  int rowOffset(int i) const { return row_offset_[i]; }
  int rowSize(int i) const { return row_offset_[i + 1] - row_offset_[i]; }
  int columnOffset(int j) const { return column_offset_[j]; }
  int columnSize(int j) const { return column_offset_[j + 1] - column_offset_[j]; }
  int begin(int i) const { return begin_[i]; }
  int end(int i) const { return begin_[i + 1]; }
  int column(int k) const { return column_[k]; }

  /// Block k, which must stand in block row i.
  Eigen::Map<MatrixXd> block(int i, int k) {
    return {values_.data() + start_[k], rowSize(i), columnSize(column_[k])};
  }
  Eigen::Map<const MatrixXd> block(int i, int k) const {
    return {values_.data() + start_[k], rowSize(i), columnSize(column_[k])};
  }
  /// Index of the block in block row i and block column j, or -1.
  int findBlock(int i, int j) const;

  const double* blockData(int k) const { return values_.data() + start_[k]; }
  double* blockData(int k) { return values_.data() + start_[k]; }
  std::span<const int> rowOffsets() const { return row_offset_; }
  std::span<const int> columnOffsets() const { return column_offset_; }
  std::span<const int> columns() const { return column_; }
  std::span<const double> values() const { return values_; }

  /// y = A x, and y = Aᵀ x.
  void multiply(const VectorXd& x, VectorXd& y) const;
  void multiplyTransposed(const VectorXd& x, VectorXd& y) const;

  /// Same pattern and the same bits.
  bool operator==(const BlockSparseMatrix& other) const;

 private:
  std::vector<int> row_offset_{0};
  std::vector<int> column_offset_{0};
  std::vector<int> begin_{0};
  std::vector<int> column_;
  std::vector<Eigen::Index> start_;
  std::vector<double> values_;
  bool threes_ = false;  // all blocks are 3x3
};

}  // namespace cornet
