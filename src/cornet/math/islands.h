#pragma once

#include <span>
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
  /// Block rows and block columns of an island, ascending.
  std::span<const int> rows(int island) const { return row_groups_.members(island); }
  std::span<const int> columns(int island) const { return column_groups_.members(island); }
  /// Position of a row or column in that list.
  int placeOfRow(int i) const { return row_groups_.place[i]; }
  int placeOfColumn(int j) const { return column_groups_.place[j]; }

 private:
  // Elements sorted by island.
  struct Groups {
    void sort(int count, std::span<const int> island);
    std::span<const int> members(int k) const {
      return {element.data() + begin[k], static_cast<std::size_t>(begin[k + 1] - begin[k])};
    }
    std::vector<int> begin, element, place;
  };

  UnionFind sets_{0};
  std::vector<int> number_;  // representative -> island, -1 = not seen
  std::vector<int> of_row_, of_column_;
  Groups row_groups_, column_groups_;
  int count_ = 0;
};

}  // namespace cornet
