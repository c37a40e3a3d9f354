#include "cornet/math/block_diagonal.h"

#include <cassert>

namespace cornet {

BlockDiagonalMatrix::BlockDiagonalMatrix(std::span<const int> sizes) {
  for (const int size : sizes) appendBlock(size);
}

void BlockDiagonalMatrix::clear() {
  offset_.assign(1, 0);
  start_.clear();
  values_.clear();
}

void BlockDiagonalMatrix::appendBlock(int size) {
  assert(size >= 1);
  offset_.push_back(offset_.back() + size);
  start_.push_back(static_cast<Eigen::Index>(values_.size()));
  values_.resize(values_.size() + static_cast<std::size_t>(size) * size);
}

void BlockDiagonalMatrix::multiply(const VectorXd& x, VectorXd& y) const {
  assert(x.size() == dimension());
  y.resize(dimension());
  for (int i = 0; i < blockCount(); ++i) {
    y.segment(offset(i), size(i)).noalias() = block(i) * x.segment(offset(i), size(i));
  }
}

}  // namespace cornet
