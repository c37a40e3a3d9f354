#pragma once

#include <span>
#include <string>
#include <vector>

#include "cornet/io/hdf5_file.h"
#include "cornet/math/block_sparse.h"

/// Sparse matrices as fclib stores them: a group of m, n, nz, nzmax, p, i, x.
///   nz = -2: compressed rows;   nz = -1: compressed columns;   nz ≥ 0: triplets, rows in i, columns
///   in p (as every file in circulation has it; the library's header says the reverse).
namespace cornet {

/// Entries of a sparse matrix, sorted by row, then column, without repetition; after adding entries
/// by hand call `sort`.
struct SparseEntries {
  struct Entry {
    int row;
    int column;
    double value;
  };
  int rows = 0;
  int cols = 0;
  std::vector<Entry> entries;

  /// Restores the order; repeated entries add up.
  void sort();
  SparseEntries transposed() const;
};

/// Reads a matrix group; repeated entries add up. Throws FormatError naming the dataset.
SparseEntries readMatrix(const Hdf5Reader& reader, const std::string& group);

/// Writes compressed rows.
void writeMatrix(Hdf5Writer& writer, const std::string& group, const SparseEntries& matrix);

/// Cuts a matrix into dense blocks. A block exists where it has an entry, and on the diagonal when
/// `with_diagonal` is set.
BlockSparseMatrix makeBlocks(const SparseEntries& matrix, std::span<const int> row_offsets,
                             std::span<const int> column_offsets, bool with_diagonal);

/// All entries of all blocks, zeros included, so that the pattern survives a file.
SparseEntries listEntries(const BlockSparseMatrix& matrix);

}  // namespace cornet
