#include "cornet/problem/island_part.h"

#include <algorithm>

namespace cornet {
namespace {

void copyLaws(const ConstraintRows& rows, std::span<const int> blocks, ConstraintRows& part) {
  part.clear();
  for (const int i : blocks) part.addCopy(rows, i);
}

// Block row i of a matrix, its columns renumbered.
template <class Place>
void copyBlockRow(const BlockSparseMatrix& matrix, int i, Place place, BlockSparseMatrix& part) {
  part.appendRow(matrix.rowSize(i));
  for (int k = matrix.begin(i); k < matrix.end(i); ++k) {
    const int size = matrix.rowSize(i) * matrix.columnSize(matrix.column(k));
    const int copy = part.appendBlock(place(matrix.column(k)));
    std::copy_n(matrix.blockData(k), size, part.blockData(copy));
  }
}

}  // namespace

const BlockSparseMatrix& islandPattern(const ContactProblem& problem) { return problem.J; }
const BlockSparseMatrix& islandPattern(const DelassusProblem& problem) { return problem.W; }

void extractIsland(const ContactProblem& problem, const Islands& islands, int island,
                   ContactProblem& part) {
  const std::span<const int> trees = islands.columns(island);
  copyLaws(problem.rows, islands.rows(island), part.rows);
  part.dt = problem.dt;
  part.M.clear();
  int dofs = 0;
  for (const int j : trees) dofs += problem.M.size(j);
  part.v_free.resize(dofs);
  for (const int j : trees) {
    const int offset = part.M.dimension();
    part.M.appendBlock(problem.M.size(j));
    part.M.block(part.M.blockCount() - 1) = problem.M.block(j);
    part.v_free.segment(offset, problem.M.size(j)) =
        problem.v_free.segment(problem.M.offset(j), problem.M.size(j));
  }
  part.J.reset(part.M.offsets());
  for (const int i : islands.rows(island)) {
    copyBlockRow(problem.J, i, [&](int j) { return islands.placeOfColumn(j); }, part.J);
  }
  gatherRows(problem.rows, islands.rows(island), problem.bias, part.bias);
}

void extractIsland(const DelassusProblem& problem, const Islands& islands, int island,
                   DelassusProblem& part) {
  const std::span<const int> blocks = islands.rows(island);
  copyLaws(problem.rows, blocks, part.rows);
  part.dt = problem.dt;
  part.W.reset(part.rows.offsets());
  for (const int i : blocks) {
    copyBlockRow(problem.W, i, [&](int j) { return islands.placeOfRow(j); }, part.W);
  }
  gatherRows(problem.rows, blocks, problem.q, part.q);
  gatherRows(problem.rows, blocks, problem.bias, part.bias);
}

void gatherRows(const ConstraintRows& rows, std::span<const int> blocks, const VectorXd& all,
                VectorXd& part) {
  int count = 0;
  for (const int i : blocks) count += rows.size(i);
  part.resize(count);
  int next = 0;
  for (const int i : blocks) {
    part.segment(next, rows.size(i)) = all.segment(rows.offset(i), rows.size(i));
    next += rows.size(i);
  }
}

void scatterRows(const ConstraintRows& rows, std::span<const int> blocks, const VectorXd& part,
                 VectorXd& all) {
  int next = 0;
  for (const int i : blocks) {
    all.segment(rows.offset(i), rows.size(i)) = part.segment(next, rows.size(i));
    next += rows.size(i);
  }
}

}  // namespace cornet
