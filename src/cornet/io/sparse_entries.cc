#include "cornet/io/sparse_entries.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "cornet/io/format_error.h"

namespace cornet {
namespace {

// Checks of the raw arrays of a matrix group, each naming the dataset at fault.
class MatrixGroup {
 public:
  MatrixGroup(const Hdf5Reader& reader, const std::string& group)
      : reader_(reader), group_(group), m(size("m")), n(size("n")), nz(reader.readInt(group + "/nz")),
        p(reader.readInts(group + "/p")), i(reader.readInts(group + "/i")),
        x(reader.readFinite(group + "/x")) {
    if (nz < -2) refuse("nz", fmt::format("{}", nz), "-2 (rows), -1 (columns) or a count ≥ 0");
  }

  void requireLength(const char* name, std::size_t found, std::size_t least) const {
    if (found < least) {
      refuse(name, fmt::format("{} entries", found), fmt::format("at least {}", least));
    }
  }

  void requireIndex(const char* name, int value, std::size_t at, int limit) const {
    if (value < 0 || value >= limit) {
      refuse(name, fmt::format("index {} at entry {}", value, at),
             fmt::format("0 to {}", limit - 1));
    }
  }

  // Starts of rows or columns: from 0, never falling, within the data.
  void requirePointers(int outer) const {
    if (outer == 0 && p.empty()) return;
    requireLength("p", p.size(), static_cast<std::size_t>(outer) + 1);
    for (int k = 0; k < outer; ++k) {
      if (p[k + 1] < p[k]) {
        refuse("p", fmt::format("{} after {} at entry {}", p[k + 1], p[k], k + 1),
               "numbers that do not fall");
      }
    }
    if (p[0] != 0) refuse("p", fmt::format("{} at entry 0", p[0]), "0");
    requireLength("i", i.size(), static_cast<std::size_t>(p[outer]));
    requireLength("x", x.size(), static_cast<std::size_t>(p[outer]));
  }

  [[noreturn]] void refuse(const char* name, const std::string& found,
                           const std::string& expected) const {
    throw FormatError(reader_.file(), group_ + "/" + name, found, expected);
  }

 private:
  int size(const char* name) const {
    const int value = reader_.readInt(group_ + "/" + name);
    if (value < 0) refuse(name, fmt::format("{}", value), "a size ≥ 0");
    return value;
  }

  const Hdf5Reader& reader_;
  std::string group_;

 public:
  int m, n, nz;
  std::vector<int> p, i;
  std::vector<double> x;
};

}  // namespace

void SparseEntries::sort() {
  std::ranges::stable_sort(entries, [](const auto& a, const auto& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const bool repeated = kept > 0 && entries[kept - 1].row == entries[k].row &&
                          entries[kept - 1].column == entries[k].column;
    if (repeated) {
      entries[kept - 1].value += entries[k].value;
    } else {
      entries[kept++] = entries[k];
    }
  }
  entries.resize(kept);
}

SparseEntries SparseEntries::transposed() const {
  SparseEntries result{cols, rows, {}};
  result.entries.reserve(entries.size());
  for (const Entry& entry : entries) {
    result.entries.push_back({entry.column, entry.row, entry.value});
  }
  result.sort();
  return result;
}

SparseEntries readMatrix(const Hdf5Reader& reader, const std::string& group) {
  const MatrixGroup raw(reader, group);
  SparseEntries matrix{raw.m, raw.n, {}};
  if (raw.nz >= 0) {
    const auto count = static_cast<std::size_t>(raw.nz);
    raw.requireLength("i", raw.i.size(), count);
    raw.requireLength("p", raw.p.size(), count);
    raw.requireLength("x", raw.x.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      raw.requireIndex("i", raw.i[k], k, raw.m);
      raw.requireIndex("p", raw.p[k], k, raw.n);
      matrix.entries.push_back({raw.i[k], raw.p[k], raw.x[k]});
    }
  } else {
    const bool by_rows = raw.nz == -2;
    const int outer = by_rows ? raw.m : raw.n;
    const int inner = by_rows ? raw.n : raw.m;
    raw.requirePointers(outer);
    for (int o = 0; o < outer && !raw.p.empty(); ++o) {
      for (int k = raw.p[o]; k < raw.p[o + 1]; ++k) {
        raw.requireIndex("i", raw.i[k], static_cast<std::size_t>(k), inner);
        matrix.entries.push_back({by_rows ? o : raw.i[k], by_rows ? raw.i[k] : o, raw.x[k]});
      }
    }
  }
  matrix.sort();
  return matrix;
}

void writeMatrix(Hdf5Writer& writer, const std::string& group, const SparseEntries& matrix) {
  std::vector<int> p(static_cast<std::size_t>(matrix.rows) + 1, 0);
  std::vector<int> i;
  std::vector<double> x;
  for (const SparseEntries::Entry& entry : matrix.entries) {
    ++p[entry.row + 1];
    i.push_back(entry.column);
    x.push_back(entry.value);
  }
  for (int row = 0; row < matrix.rows; ++row) p[row + 1] += p[row];
  writer.write(group + "/m", matrix.rows);
  writer.write(group + "/n", matrix.cols);
  writer.write(group + "/nz", -2);
  writer.write(group + "/nzmax", static_cast<int>(x.size()));
  writer.write(group + "/p", p);
  writer.write(group + "/i", i);
  writer.write(group + "/x", x);
}

BlockSparseMatrix makeBlocks(const SparseEntries& matrix, std::span<const int> row_offsets,
                             std::span<const int> column_offsets, bool with_diagonal) {
  std::vector<int> column_block(static_cast<std::size_t>(matrix.cols));
  for (std::size_t j = 0; j + 1 < column_offsets.size(); ++j) {
    std::fill(column_block.begin() + column_offsets[j], column_block.begin() + column_offsets[j + 1],
              static_cast<int>(j));
  }
  BlockSparseMatrix blocks(column_offsets);
  std::vector<int> columns;
  auto entry = matrix.entries.begin();
  for (int i = 0; i + 1 < static_cast<int>(row_offsets.size()); ++i) {
    const auto first = entry;
    columns.clear();
    if (with_diagonal) columns.push_back(i);
    for (; entry != matrix.entries.end() && entry->row < row_offsets[i + 1]; ++entry) {
      columns.push_back(column_block[entry->column]);
    }
    std::ranges::sort(columns);
    const auto repeated = std::ranges::unique(columns);
    columns.erase(repeated.begin(), repeated.end());
    blocks.appendRow(row_offsets[i + 1] - row_offsets[i]);
    for (const int j : columns) blocks.appendBlock(j);
    for (auto it = first; it != entry; ++it) {
      const int j = column_block[it->column];
      blocks.block(i, blocks.findBlock(i, j))(it->row - row_offsets[i],
                                              it->column - column_offsets[j]) = it->value;
    }
  }
  return blocks;
}

SparseEntries listEntries(const BlockSparseMatrix& matrix) {
  SparseEntries list{matrix.rows(), matrix.cols(), {}};
  list.entries.reserve(matrix.values().size());
  for (int i = 0; i < matrix.rowBlockCount(); ++i) {
    for (int r = 0; r < matrix.rowSize(i); ++r) {
      for (int k = matrix.begin(i); k < matrix.end(i); ++k) {
        const int j = matrix.column(k);
        for (int c = 0; c < matrix.columnSize(j); ++c) {
          list.entries.push_back(
              {matrix.rowOffset(i) + r, matrix.columnOffset(j) + c, matrix.block(i, k)(r, c)});
        }
      }
    }
  }
  return list;
}

}  // namespace cornet
