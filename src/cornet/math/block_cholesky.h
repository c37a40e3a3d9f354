#pragma once

#include <vector>

#include "cornet/math/block_diagonal.h"

namespace cornet {

/// M = L Lᵀ block by block, of the symmetric part (M + Mᵀ)/2 of a block-diagonal matrix.
/// Buffers are kept between calls of `factor`.
class BlockCholesky {
 public:
  /// Returns the index of the first block that is not positive definite, or -1 when all are.
  int factor(const BlockDiagonalMatrix& matrix);

  /// x <- M_i⁻¹ x for one block; x has as many rows as the block.
  void solveBlockInPlace(int i, Eigen::Ref<MatrixXd> x) const;

  /// X <- X L_i⁻ᵀ for one block; X has as many columns as the block.
  void solveFromRightInPlace(int i, Eigen::Ref<MatrixXd> X) const;

  /// x <- M⁻¹ x.
  void solveInPlace(VectorXd& x) const;

 private:
  BlockDiagonalMatrix lower_;
};

}  // namespace cornet
