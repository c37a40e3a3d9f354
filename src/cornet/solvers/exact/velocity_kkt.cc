#include "cornet/solvers/exact/velocity_kkt.h"

#include <algorithm>
#include <utility>

#include <Eigen/LU>

#include "cornet/math/block_kernels.h"

namespace cornet::exact {
namespace {

// Momentum that is lost in the solve, relative to the largest entry, above which it is corrected.
constexpr double kMomentumError = 1e-11;

constexpr int kMaxRows = ConstraintRows::kMaxBlockRows;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxRows, kMaxRows>;

}  // namespace

void VelocityKkt::reset() {
  const ScaledRows& rows = problem_.rows();
  const BlockSparseMatrix& B = problem_.B();
  G_.reset(rows);
  solve_compliance_.reset(rows);
  has_compliance_ = std::ranges::any_of(rows.compliance, [](double R) { return R > 0.0; });
  GB_.resize(B.values().size());

  // The pattern: sizes of the trees, and which trees each block touches.
  pattern_.assign(B.columnOffsets().begin(), B.columnOffsets().end());
  for (int i = 0; i < B.rowBlockCount(); ++i) {
    pattern_.push_back(-1);
    for (int k = B.begin(i); k < B.end(i); ++k) pattern_.push_back(B.column(k));
  }
  plan_ = cache_.find(pattern_);
  if (plan_ == nullptr) makePlan();
  ldu_.reset(plan_->structure);
  for (VectorXd* x : {&target_, &B_dy_}) x->resize(rows.rowCount());
  for (VectorXd* x : {&dy_, &momentum_}) x->resize(B.cols());
}

// An entry for every pair of trees of a block, pairs (k, l < k) in order.
void VelocityKkt::makePlan() {
  const BlockSparseMatrix& B = problem_.B();
  std::vector<int> sizes;
  for (int j = 0; j < B.columnBlockCount(); ++j) sizes.push_back(B.columnSize(j));
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < B.rowBlockCount(); ++i) {
    for (int k = B.begin(i); k < B.end(i); ++k) {
      for (int l = B.begin(i); l < k; ++l) pairs.emplace_back(B.column(k), B.column(l));
    }
  }
  const BlockGraph graph(sizes, pairs);
  std::vector<int> entry;
  entry.reserve(pairs.size());
  for (const auto& [i, j] : pairs) entry.push_back(graph.findEntry(i, j));
  plan_ = &cache_.insert({pattern_, LduStructure(graph), std::move(entry)});
}

void VelocityKkt::multiply(const VectorXd& r, VectorXd& u) {
  problem_.B().multiplyTransposed(r, momentum_);
  problem_.B().multiply(momentum_, u);
  const ScaledRows& rows = problem_.rows();
  for (int row = 0; row < rows.rowCount(); ++row) u[row] += rows.compliance[row] * r[row];
}

// G' = (I + G R)⁻¹ G and the matrix in front.
void VelocityKkt::setWeights(const BlockWeights& weights) {
  const ScaledRows& rows = problem_.rows();
  for (int i = 0; i < rows.blockCount(); ++i) {
    const int n = rows.size(i);
    if (!has_compliance_) {
      std::copy_n(weights.block(i), n * n, G_.block(i));
      continue;
    }
    const Eigen::Map<const MatrixXd> G(weights.block(i), n, n);
    const Eigen::Map<const VectorXd> R(rows.compliance.data() + rows.offset[i], n);
    SmallMatrix softened = G * R.asDiagonal();
    softened.diagonal().array() += 1.0;
    const SmallMatrix inverse = softened.inverse();
    Eigen::Map<MatrixXd>(solve_compliance_.block(i), n, n) = inverse;
    Eigen::Map<MatrixXd>(G_.block(i), n, n).noalias() = inverse * G;
  }
}

// I + BᵀG'B, block by block.
void VelocityKkt::assemble(bool symmetric) {
  const BlockSparseMatrix& B = problem_.B();
  ldu_.setZero();
  for (int j = 0; j < B.columnBlockCount(); ++j) {
    const BlockLdu::Place place = ldu_.diagonal(j);
    for (int r = 0; r < B.columnSize(j); ++r) place.values[r + Eigen::Index{r} * place.stride] = 1.0;
  }
  const double* start = B.values().data();
  const int* entry = plan_->entry.data();
  for (int i = 0; i < B.rowBlockCount(); ++i) {
    const int n = B.rowSize(i);
    for (int k = B.begin(i); k < B.end(i); ++k) {
      const int width = B.columnSize(B.column(k));
      const double* B_k = B.blockData(k);
      double* GB_k = GB_.data() + (B_k - start);
      kernels::setProduct(n, n, width, G_.block(i), B_k, GB_k);
      const BlockLdu::Place diagonal = ldu_.diagonal(B.column(k));
      kernels::addCrossProduct(n, width, width, B_k, GB_k, diagonal.values, diagonal.stride);
      for (int l = B.begin(i); l < k; ++l) {
        const int e = *entry++;
        const bool k_is_late = ldu_.lowerRow(e) == B.column(k);
        const int late = k_is_late ? k : l;
        const int early = k_is_late ? l : k;
        const int rows = B.columnSize(B.column(late));
        const int cols = B.columnSize(B.column(early));
        const double* B_late = B.blockData(late);
        const double* B_early = B.blockData(early);
        const double* GB_late = GB_.data() + (B_late - start);
        const double* GB_early = GB_.data() + (B_early - start);
        const BlockLdu::Place below = ldu_.below(e);
        kernels::addCrossProduct(n, rows, cols, B_late, GB_early, below.values, below.stride);
        if (symmetric) continue;
        const BlockLdu::Place above = ldu_.above(e);
        if (ldu_.aboveIsPlain(e)) {
          kernels::addCrossProduct(n, cols, rows, B_early, GB_late, above.values, above.stride);
        } else {
          kernels::addCrossProduct(n, rows, cols, GB_late, B_early, above.values, above.stride);
        }
      }
    }
  }
}

void VelocityKkt::factor(const BlockWeights& weights, bool symmetric) {
  setWeights(weights);
  assemble(symmetric);
  if (symmetric) {
    ldu_.factorSymmetric();
  } else {
    ldu_.factorGeneral();
  }
}

void VelocityKkt::applyCompliance(VectorXd& x) const {
  if (!has_compliance_) return;
  const ScaledRows& rows = problem_.rows();
  for (int i = 0; i < rows.blockCount(); ++i) {
    const int n = rows.size(i);
    double product[kMaxRows] = {};
    kernels::addProduct(n, n, solve_compliance_.block(i), x.data() + rows.offset[i], product);
    std::copy_n(product, n, x.data() + rows.offset[i]);
  }
}

// dr = a' - G'(g + B dy)
void VelocityKkt::calcImpulses(const VectorXd& target, const VectorXd& g, VectorXd& dr) {
  const ScaledRows& rows = problem_.rows();
  problem_.B().multiply(dy_, B_dy_);
  dr = target;
  double x[kMaxRows];
  for (int i = 0; i < rows.blockCount(); ++i) {
    const int n = rows.size(i);
    const int begin = rows.offset[i];
    for (int r = 0; r < n; ++r) x[r] = -(g[begin + r] + B_dy_[begin + r]);
    kernels::addBlockProduct(n, n, G_.block(i), x, dr.data() + begin);
  }
}

void VelocityKkt::solve(const VectorXd& target, const VectorXd& g, VectorXd& dr, VectorXd& A_dr) {
  target_ = target;
  applyCompliance(target_);
  dy_.setZero(problem_.B().cols());
  calcImpulses(target_, g, dr);
  problem_.B().multiplyTransposed(dr, dy_);
  ldu_.solveInPlace(dy_);
  calcImpulses(target_, g, dr);
  // What the impulses give the bodies has to be what the bodies get.
  problem_.B().multiplyTransposed(dr, momentum_);
  momentum_ -= dy_;
  if (momentum_.lpNorm<Eigen::Infinity>() > kMomentumError * dy_.lpNorm<Eigen::Infinity>()) {
    ldu_.solveInPlace(momentum_);
    dy_ += momentum_;
    calcImpulses(target_, g, dr);
  }
  const ScaledRows& rows = problem_.rows();
  A_dr = B_dy_;
  for (int row = 0; row < rows.rowCount(); ++row) A_dr[row] += rows.compliance[row] * dr[row];
}

}  // namespace cornet::exact
