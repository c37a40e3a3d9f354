#include "cornet/math/block_diagonal.h"

#include <cassert>

namespace cornet {

BlockDiagonalMatrix::BlockDiagonalMatrix(std::span<const int> sizes) {
  Eigen::Index total = 0;
  for (const int size : sizes) {
    assert(size >= 1);
    offset_.push_back(offset_.back() + size);
    start_.push_back(total);
    total += Eigen::Index{size} * size;
  }
  values_.assign(static_cast<std::size_t>(total), 0.0);
}

void BlockDiagonalMatrix::multiply(const VectorXd& x, VectorXd& y) const {
  assert(x.size() == dimension());
  y.resize(dimension());
  for (int i = 0; i < blockCount(); ++i) {
    y.segment(offset(i), size(i)).noalias() = block(i) * x.segment(offset(i), size(i));
  }
}

}  // namespace cornet
