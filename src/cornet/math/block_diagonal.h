#pragma once

#include <span>
#include <vector>

#include "cornet/math/types.h"

namespace cornet {

/// Square matrix with dense diagonal blocks of any sizes, stored one after the other, each
/// column-major. Block i acts on the entries offset(i) .. offset(i) + size(i) of a vector.
class BlockDiagonalMatrix {
 public:
  BlockDiagonalMatrix() = default;
  /// Zero blocks of the given sizes (each at least 1).
  explicit BlockDiagonalMatrix(std::span<const int> sizes);

  /// Back to no blocks; memory is kept.
  void clear();
  /// Adds a zero block at the end.
  void appendBlock(int size);

  int blockCount() const { return static_cast<int>(offset_.size()) - 1; }
  int dimension() const { return offset_.back(); }
  int offset(int i) const { return offset_[i]; }
  int size(int i) const { return offset_[i + 1] - offset_[i]; }

  Eigen::Map<MatrixXd> block(int i) { return {values_.data() + start_[i], size(i), size(i)}; }
  Eigen::Map<const MatrixXd> block(int i) const {
    return {values_.data() + start_[i], size(i), size(i)};
  }

  /// First entry of each block, with dimension() at the end.
  std::span<const int> offsets() const { return offset_; }
  std::span<const double> values() const { return values_; }

  /// y = M x.
  void multiply(const VectorXd& x, VectorXd& y) const;

 private:
  std::vector<int> offset_{0};
  std::vector<Eigen::Index> start_;
  std::vector<double> values_;
};

}  // namespace cornet
