#include "cornet/solvers/exact/delassus_kkt.h"

#include <algorithm>
#include <utility>

#include "cornet/math/block_kernels.h"

namespace cornet::exact {
namespace {

// A residual of the solve above this share of the right-hand side is worth a correction.
constexpr double kResidualError = 1e-11;

}  // namespace

void DelassusKkt::reset() {
  const BlockSparseMatrix& A = problem_.A();
  pattern_.assign(A.rowOffsets().begin(), A.rowOffsets().end());
  for (int i = 0; i < A.rowBlockCount(); ++i) pattern_.push_back(A.end(i));
  pattern_.insert(pattern_.end(), A.columns().begin(), A.columns().end());
  plan_ = cache_.find(pattern_);
  if (plan_ == nullptr) makePlan();
  ldu_.reset(plan_->structure);
  weights_.reset(problem_.rows());
  for (VectorXd* x : {&b_, &residual_}) x->resize(A.rows());
  assembleBase();
}

// An entry for every block off the diagonal, in the order of A.
void DelassusKkt::makePlan() {
  const BlockSparseMatrix& A = problem_.A();
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < A.rowBlockCount(); ++i) {
    sizes.push_back(A.rowSize(i));
    for (int k = A.begin(i); k < A.end(i); ++k) {
      if (A.column(k) != i) pairs.emplace_back(i, A.column(k));
    }
  }
  const BlockGraph graph(sizes, pairs);
  std::vector<int> entry;
  entry.reserve(pairs.size());
  for (const auto& [i, j] : pairs) entry.push_back(graph.findEntry(i, j));
  plan_ = &cache_.insert({pattern_, LduStructure(graph), std::move(entry)});
}

// A and its compliance, which all factorizations of a problem have in common.
void DelassusKkt::assembleBase() {
  const BlockSparseMatrix& A = problem_.A();
  const ScaledRows& rows = problem_.rows();
  ldu_.setZero();
  const int* entry = plan_->entry.data();
  for (int i = 0; i < A.rowBlockCount(); ++i) {
    for (int k = A.begin(i); k < A.end(i); ++k) {
      const int n = A.rowSize(i);
      const int m = A.columnSize(A.column(k));
      const double* A_k = A.blockData(k);
      if (A.column(k) == i) {
        const BlockLdu::Place place = ldu_.diagonal(i);
        kernels::addBlock(n, m, A_k, place.values, place.stride);
        for (int r = 0; r < n; ++r) {
          place.values[r + Eigen::Index{r} * place.stride] += rows.compliance[rows.offset[i] + r];
        }
        continue;
      }
      const int e = *entry++;
      const bool is_below = ldu_.lowerRow(e) == i;
      const BlockLdu::Place place = is_below ? ldu_.below(e) : ldu_.above(e);
      if (is_below || ldu_.aboveIsPlain(e)) {
        kernels::addBlock(n, m, A_k, place.values, place.stride);
      } else {
        kernels::addBlockTransposed(n, m, A_k, place.values, place.stride);
      }
    }
  }
  ldu_.keepBase();
}

void DelassusKkt::multiply(const VectorXd& r, VectorXd& u) {
  problem_.A().multiply(r, u);
  const ScaledRows& rows = problem_.rows();
  for (int row = 0; row < rows.rowCount(); ++row) u[row] += rows.compliance[row] * r[row];
}

// Always the general factorization: stored matrices are symmetric to their printed digits only.
void DelassusKkt::factor(const BlockWeights& weights, bool /*symmetric*/) {
  weights_ = weights;
  const ScaledRows& rows = problem_.rows();
  ldu_.restoreBase();
  for (int i = 0; i < rows.blockCount(); ++i) {
    const BlockLdu::Place place = ldu_.diagonal(i);
    kernels::addBlock(rows.size(i), rows.size(i), weights.block(i), place.values, place.stride);
  }
  ldu_.factorGeneral();
}

void DelassusKkt::solve(const VectorXd& target, const VectorXd& g, VectorXd& dr, VectorXd& A_dr) {
  const ScaledRows& rows = problem_.rows();
  b_ = target - g;
  dr = b_;
  ldu_.solveInPlace(dr);
  multiply(dr, A_dr);
  // One step of refinement.
  residual_ = b_ - A_dr;
  double x[ConstraintRows::kMaxBlockRows];
  for (int i = 0; i < rows.blockCount(); ++i) {
    const int begin = rows.offset[i];
    for (int r = 0; r < rows.size(i); ++r) x[r] = -dr[begin + r];
    kernels::addBlockProduct(rows.size(i), rows.size(i), weights_.block(i), x,
                             residual_.data() + begin);
  }
  if (residual_.lpNorm<Eigen::Infinity>() <= kResidualError * b_.lpNorm<Eigen::Infinity>()) return;
  ldu_.solveInPlace(residual_);
  dr += residual_;
  multiply(dr, A_dr);
}

}  // namespace cornet::exact
