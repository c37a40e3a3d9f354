#include "cornet/math/islands.h"

namespace cornet {

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
}

}  // namespace cornet
