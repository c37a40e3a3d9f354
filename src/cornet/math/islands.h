#pragma once

#include <vector>

#include "cornet/math/block_sparse.h"
#include "cornet/math/union_find.h"

namespace cornet {

/// The independent parts of a block pattern: a block ties its row to its column, and what is tied
/// together, directly or through others, is one island. With the rows of J as constraint blocks and
/// its columns as dynamic trees these are the islands of a contact problem (static and kinematic
/// bodies have no column and join nothing); the pattern of J M⁻¹Jᵀ has the same ones. Islands are
/// numbered by their first block row. Buffers are kept between calls.
class Islands {
 public:
  void split(const BlockSparseMatrix& pattern);

  int count() const { return count_; }
  /// Island of every block row.
  const std::vector<int>& ofRow() const { return of_row_; }
  /// Island of every block column, -1 for a column without any block.
  const std::vector<int>& ofColumn() const { return of_column_; }

 private:
  UnionFind sets_{0};
  std::vector<int> number_;  // representative -> island, -1 = not seen
  std::vector<int> of_row_, of_column_;
  int count_ = 0;
};

}  // namespace cornet
