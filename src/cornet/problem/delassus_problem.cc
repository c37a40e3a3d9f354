#include "cornet/problem/delassus_problem.h"

#include <algorithm>
#include <stdexcept>

#include "cornet/math/block_cholesky.h"
#include "cornet/problem/validation.h"

namespace cornet {

void DelassusProblem::validate() const {
  rows.validate();
  requireSize("W rows", W.rows(), rows.rowCount());
  requireSize("W columns", W.cols(), rows.rowCount());
  requireSize("q", q.size(), rows.rowCount());
  requireSize("bias", bias.size(), rows.rowCount());
  if (!std::ranges::equal(W.rowOffsets(), rows.offsets()) ||
      !std::ranges::equal(W.columnOffsets(), rows.offsets())) {
    throw std::invalid_argument("the blocks of W do not match the constraint blocks");
  }
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (W.findBlock(i, i) < 0) {
      throw std::invalid_argument(fmt::format("block row {} of W lacks its diagonal block", i));
    }
  }
  requireFinite("W", W.values());
  requireFinite("q", q);
  requireFinite("bias", bias);
  requireStep(dt);
}

bool identical(const DelassusProblem& a, const DelassusProblem& b) {
  return a.rows == b.rows && a.W == b.W && sameBits(a.q, b.q) && sameBits(a.bias, b.bias) &&
         a.dt == b.dt;
}

DelassusProblem makeDelassusProblem(const ContactProblem& problem) {
  const BlockSparseMatrix& J = problem.J;
  BlockCholesky mass;
  if (const int bad = mass.factor(problem.M); bad >= 0) {
    throw std::invalid_argument(fmt::format("mass block {} is not positive definite", bad));
  }

  // Blocks of J by tree: (block row, index of the block), rows ascending.
  struct Entry {
    int row;
    int block;
  };
  std::vector<std::vector<Entry>> touching(J.columnBlockCount());
  for (int i = 0; i < J.rowBlockCount(); ++i) {
    for (int k = J.begin(i); k < J.end(i); ++k) touching[J.column(k)].push_back({i, k});
  }

  DelassusProblem result;
  result.rows = problem.rows;
  result.bias = problem.bias;
  result.dt = problem.dt;
  result.W = BlockSparseMatrix(problem.rows.offsets());
  std::vector<int> columns;
  for (int i = 0; i < J.rowBlockCount(); ++i) {
    // Pattern of the row: every block that shares a tree with this one, and itself.
    columns.assign(1, i);
    for (int k = J.begin(i); k < J.end(i); ++k) {
      for (const Entry& other : touching[J.column(k)]) columns.push_back(other.row);
    }
    std::ranges::sort(columns);
    const auto repeated = std::ranges::unique(columns);
    columns.erase(repeated.begin(), repeated.end());
    result.W.appendRow(J.rowSize(i));
    for (const int j : columns) result.W.appendBlock(j);

    // W_ij = sum over shared trees of J_i M⁻¹ J_jᵀ.
    for (int k = J.begin(i); k < J.end(i); ++k) {
      const int tree = J.column(k);
      MatrixXd Y = J.block(i, k).transpose();
      mass.solveBlockInPlace(tree, Y);
      for (const Entry& other : touching[tree]) {
        auto W_ij = result.W.block(i, result.W.findBlock(i, other.row));
        W_ij.noalias() += Y.transpose() * J.block(other.row, other.block).transpose();
      }
    }
  }
  J.multiply(problem.v_free, result.q);
  result.q += problem.bias;
  return result;
}

DelassusProblem makeDelassusProblem(ConstraintRows rows, const MatrixXd& W, const VectorXd& q) {
  requireSize("W rows", W.rows(), rows.rowCount());
  requireSize("W columns", W.cols(), rows.rowCount());
  requireSize("q", q.size(), rows.rowCount());
  DelassusProblem result;
  result.rows = std::move(rows);
  result.q = q;
  result.bias = VectorXd::Zero(q.size());
  result.W = BlockSparseMatrix(result.rows.offsets());
  for (int i = 0; i < result.rows.blockCount(); ++i) {
    result.W.appendRow(result.rows.size(i));
    for (int j = 0; j < result.rows.blockCount(); ++j) {
      const auto block = W.block(result.rows.offset(i), result.rows.offset(j), result.rows.size(i),
                                 result.rows.size(j));
      if (j != i && block.isZero(0.0)) continue;
      const int k = result.W.appendBlock(j);
      result.W.block(i, k) = block;
    }
  }
  result.validate();
  return result;
}

}  // namespace cornet
