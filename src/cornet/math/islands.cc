#include "cornet/math/islands.h"

namespace cornet {

void Islands::Groups::sort(int count, std::span<const int> island) {
  begin.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const int k : island) {
    if (k >= 0) ++begin[k + 1];
  }
  place.assign(island.size(), -1);
  for (int k = 0; k < count; ++k) begin[k + 1] += begin[k];
  element.resize(static_cast<std::size_t>(begin[count]));
  // `begin` is advanced to the end of every island while it is filled, then moved back.
  for (std::size_t i = 0; i < island.size(); ++i) {
    if (island[i] >= 0) element[begin[island[i]]++] = static_cast<int>(i);
  }
  for (int k = count; k > 0; --k) begin[k] = begin[k - 1];
  begin[0] = 0;
  for (int k = 0; k < count; ++k) {
    for (int p = begin[k]; p < begin[k + 1]; ++p) place[element[p]] = p - begin[k];
  }
}

void Islands::split(const BlockSparseMatrix& pattern) {
  // Elements: columns first, then rows.
  const int columns = pattern.columnBlockCount();
  const int rows = pattern.rowBlockCount();
  sets_.reset(columns + rows);
  for (int i = 0; i < rows; ++i) {
    for (int k = pattern.begin(i); k < pattern.end(i); ++k) {
      sets_.unite(pattern.column(k), columns + i);
    }
  }
  number_.assign(static_cast<std::size_t>(columns + rows), -1);
  of_row_.resize(static_cast<std::size_t>(rows));
  count_ = 0;
  for (int i = 0; i < rows; ++i) {
    int& number = number_[sets_.find(columns + i)];
    if (number < 0) number = count_++;
    of_row_[i] = number;
  }
  of_column_.resize(static_cast<std::size_t>(columns));
  for (int j = 0; j < columns; ++j) of_column_[j] = number_[sets_.find(j)];
  row_groups_.sort(count_, of_row_);
  column_groups_.sort(count_, of_column_);
}

}  // namespace cornet
