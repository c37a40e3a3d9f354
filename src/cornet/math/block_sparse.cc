#include "cornet/math/block_sparse.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "cornet/math/block_kernels.h"

namespace cornet {

BlockSparseMatrix::BlockSparseMatrix(std::span<const int> column_offsets) {
  reset(column_offsets);
}

void BlockSparseMatrix::reset(std::span<const int> column_offsets) {
  assert(!column_offsets.empty() && column_offsets.front() == 0);
  column_offset_.assign(column_offsets.begin(), column_offsets.end());
  row_offset_.assign(1, 0);
  begin_.assign(1, 0);
  threes_ = true;
  for (int j = 0; j < columnBlockCount(); ++j) threes_ &= columnSize(j) == 3;
  column_.clear();
  start_.clear();
  values_.clear();
}

void BlockSparseMatrix::appendRow(int rows) {
  assert(rows >= 1);
  threes_ &= rows == 3;
  row_offset_.push_back(row_offset_.back() + rows);
  begin_.push_back(begin_.back());
}

int BlockSparseMatrix::appendBlock(int block_column) {
  const int i = rowBlockCount() - 1;
  assert(i >= 0 && block_column >= 0 && block_column < columnBlockCount());
  assert(begin(i) == end(i) || column_.back() < block_column);
  start_.push_back(static_cast<Eigen::Index>(values_.size()));
  column_.push_back(block_column);
  values_.resize(values_.size() + static_cast<std::size_t>(rowSize(i)) * columnSize(block_column));
  ++begin_.back();
  return blockCount() - 1;
}

int BlockSparseMatrix::findBlock(int i, int j) const {
  const auto first = column_.begin() + begin(i);
  const auto last = column_.begin() + end(i);
  const auto it = std::lower_bound(first, last, j);
  return it != last && *it == j ? static_cast<int>(it - column_.begin()) : -1;
}

void BlockSparseMatrix::multiply(const VectorXd& x, VectorXd& y) const {
  assert(x.size() == cols());
  y.setZero(rows());
  for (int i = 0; i < rowBlockCount(); ++i) {
    double* y_i = y.data() + rowOffset(i);
    if (threes_) {
      kernels::RowSum3 sum;
      for (int k = begin(i); k < end(i); ++k) sum.add(blockData(k), x.data() + 3 * column(k));
      sum.addTo(y_i);
      continue;
    }
    for (int k = begin(i); k < end(i); ++k) {
      const int j = column(k);
      kernels::addBlockProduct(rowSize(i), columnSize(j), blockData(k), x.data() + columnOffset(j),
                               y_i);
    }
  }
}

void BlockSparseMatrix::multiplyTransposed(const VectorXd& x, VectorXd& y) const {
  assert(x.size() == rows());
  y.setZero(cols());
  for (int i = 0; i < rowBlockCount(); ++i) {
    const double* x_i = x.data() + rowOffset(i);
    for (int k = begin(i); k < end(i); ++k) {
      const int j = column(k);
      kernels::addTransposedProduct(rowSize(i), columnSize(j), blockData(k), x_i,
                                    y.data() + columnOffset(j));
    }
  }
}

bool BlockSparseMatrix::operator==(const BlockSparseMatrix& other) const {
  const auto same_bits = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  return row_offset_ == other.row_offset_ && column_offset_ == other.column_offset_ &&
         begin_ == other.begin_ && column_ == other.column_ &&
         std::ranges::equal(values_, other.values_, same_bits);
}

}  // namespace cornet
