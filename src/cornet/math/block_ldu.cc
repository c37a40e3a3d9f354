#include "cornet/math/block_ldu.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "cornet/math/block_kernels.h"

namespace cornet {
namespace {

// A pivot below this share of the largest entry of its square has lost all its digits.
constexpr double kPivotFloor = 1e-13;

using Panel = Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>;
using ConstPanel = Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>>;

// C (rows x cols) -= A (rows x depth) Bᵀ (cols x depth), two sizes known when compiled: B stays in
// registers while the rows go by in pairs.
template <int kCols, int kDepth>
void subtractFixed(int rows, const double* A, int lda, const double* B, int ldb, double* C, int ldc) {
  using kernels::Pair;
  int r = 0;
  for (; r + 2 <= rows; r += 2) {
    for (int c = 0; c < kCols; ++c) {
      double* target = C + r + Eigen::Index{c} * ldc;
      Pair sum = kernels::loadPair(target);
      for (int d = 0; d < kDepth; ++d) {
        const double b = B[c + Eigen::Index{d} * ldb];
        sum -= kernels::loadPair(A + r + Eigen::Index{d} * lda) * Pair{b, b};
      }
      kernels::storePair(target, sum);
    }
  }
  if (r == rows) return;
  for (int c = 0; c < kCols; ++c) {
    double sum = C[r + Eigen::Index{c} * ldc];
    for (int d = 0; d < kDepth; ++d) {
      sum -= A[r + Eigen::Index{d} * lda] * B[c + Eigen::Index{d} * ldb];
    }
    C[r + Eigen::Index{c} * ldc] = sum;
  }
}

void subtractProduct(int rows, int cols, int depth, const double* A, int lda, const double* B,
                     int ldb, double* C, int ldc) {
  if (cols == 3 && depth == 3) return subtractFixed<3, 3>(rows, A, lda, B, ldb, C, ldc);
  if (cols == 6 && depth == 6) return subtractFixed<6, 6>(rows, A, lda, B, ldb, C, ldc);
  if (cols == 3 && depth == 6) return subtractFixed<3, 6>(rows, A, lda, B, ldb, C, ldc);
  constexpr int kSmall = 512;  // below this much work the blocked product only costs
  const ConstPanel a(A, rows, depth, Eigen::OuterStride<>(lda));
  const ConstPanel b(B, cols, depth, Eigen::OuterStride<>(ldb));
  Panel c(C, rows, cols, Eigen::OuterStride<>(ldc));
  if (rows * cols * depth <= kSmall) {
    c.noalias() -= a.lazyProduct(b.transpose());
  } else {
    c.noalias() -= a * b.transpose();
  }
}

// Sum of products in four partial sums: fixed order, and no addition waits for the one before.
double dotProduct(int n, const double* a, const double* b) {
  double sum[4] = {};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  }
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Replaces a pivot that is lost in rounding, keeping its sign; counts and collects signs.
struct PivotGuard {
  double floor;
  int replaced = 0;
  int sign = 1;

  double operator()(double pivot) {
    if (!(std::abs(pivot) > floor)) {
      ++replaced;
      pivot = std::signbit(pivot) ? -floor : floor;
    }
    if (pivot < 0.0) sign = -sign;
    return pivot;
  }
};

// A = L U in place, L unit lower.
template <class Square>
void factorSquareGeneral(Square& A, PivotGuard& guard) {
  const int n = static_cast<int>(A.rows());
  for (int k = 0; k < n; ++k) {
    const double pivot = guard(A(k, k));
    A(k, k) = pivot;
    const int rest = n - k - 1;
    A.col(k).tail(rest) *= 1.0 / pivot;
    for (int j = k + 1; j < n; ++j) A.col(j).tail(rest) -= A.col(k).tail(rest) * A(k, j);
  }
}

// A = L D Lᵀ in the lower triangle, L unit lower, D on the diagonal.
template <class Square>
void factorSquareSymmetric(Square& A, PivotGuard& guard) {
  const int n = static_cast<int>(A.rows());
  for (int k = 0; k < n; ++k) {
    const double pivot = guard(A(k, k));
    A(k, k) = pivot;
    const double inverse = 1.0 / pivot;
    for (int j = k + 1; j < n; ++j) {
      const double factor = A(j, k) * inverse;
      A.col(j).tail(n - j) -= A.col(k).tail(n - j) * factor;
    }
    A.col(k).tail(n - k - 1) *= inverse;
  }
}

// X <- X U⁻¹, U upper triangular in `A` (its diagonal included), column by column.
template <class Square, class Rows>
void solveUpperFromRight(const Square& A, Rows& X) {
  const int n = static_cast<int>(A.rows());
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < k; ++j) X.col(k) -= X.col(j) * A(j, k);
    X.col(k) *= 1.0 / A(k, k);
  }
}

// X <- X L⁻ᵀ, L unit lower in `A`.
template <class Square, class Rows>
void solveUnitLowerFromRight(const Square& A, Rows& X) {
  const int n = static_cast<int>(A.rows());
  for (int k = 1; k < n; ++k) {
    for (int j = 0; j < k; ++j) X.col(k) -= X.col(j) * A(k, j);
  }
}

// Two rows of a panel of fixed width, in registers.
template <int kWidth>
struct RowPair {
  kernels::Pair x[kWidth];

  void load(const double* p, int stride) {
    for (int k = 0; k < kWidth; ++k) x[k] = kernels::loadPair(p + Eigen::Index{k} * stride);
  }
  void store(double* p, int stride) const {
    for (int k = 0; k < kWidth; ++k) kernels::storePair(p + Eigen::Index{k} * stride, x[k]);
  }
};
// One row: the last of an odd number.
template <int kWidth>
struct SingleRow {
  double x[kWidth];

  void load(const double* p, int stride) {
    for (int k = 0; k < kWidth; ++k) x[k] = p[Eigen::Index{k} * stride];
  }
  void store(double* p, int stride) const {
    for (int k = 0; k < kWidth; ++k) p[Eigen::Index{k} * stride] = x[k];
  }
};

// Calls f with all rows of a panel, two at a time.
template <int kWidth, class Function>
void forRows(int height, Function&& f) {
  int r = 0;
  for (; r + 2 <= height; r += 2) f(r, RowPair<kWidth>{});
  if (r < height) f(r, SingleRow<kWidth>{});
}

// The panel of one block of 3 or 6 columns: the square is held in registers, the rows go by.
template <bool kSymmetric, int kWidth>
void factorSmallPanel(int height, double* lower, double* upper, PivotGuard& guard) {
  const int stride = kWidth + height;
  double a[kWidth][kWidth];  // a[column][row]
  double largest = 0.0;
  for (int c = 0; c < kWidth; ++c) {
    for (int r = kSymmetric ? c : 0; r < kWidth; ++r) {
      a[c][r] = lower[r + Eigen::Index{c} * stride];
      largest = std::max(largest, std::abs(a[c][r]));
    }
  }
  guard.floor = kPivotFloor * (largest > 0.0 ? largest : 1.0);
  double inverse[kWidth];
  for (int k = 0; k < kWidth; ++k) {
    a[k][k] = guard(a[k][k]);
    inverse[k] = 1.0 / a[k][k];
    for (int j = k + 1; j < kWidth; ++j) {
      const double factor = kSymmetric ? a[k][j] * inverse[k] : a[j][k];
      if constexpr (kSymmetric) {
        for (int r = j; r < kWidth; ++r) a[j][r] -= a[k][r] * factor;
      } else {
        for (int r = k + 1; r < kWidth; ++r) a[j][r] -= a[k][r] * inverse[k] * factor;
      }
    }
    for (int r = k + 1; r < kWidth; ++r) a[k][r] *= inverse[k];
  }
  for (int c = 0; c < kWidth; ++c) {
    for (int r = kSymmetric ? c : 0; r < kWidth; ++r) lower[r + Eigen::Index{c} * stride] = a[c][r];
  }
  double* L = lower + kWidth;
  forRows<kWidth>(height, [&](int row, auto rows) {
    if constexpr (kSymmetric) {  // Uᵀ = L D first, then L
      rows.load(L + row, stride);
      for (int k = 1; k < kWidth; ++k) {
        for (int j = 0; j < k; ++j) rows.x[k] -= rows.x[j] * a[j][k];
      }
      rows.store(upper + row, height);
      for (int k = 0; k < kWidth; ++k) rows.x[k] *= inverse[k];
      rows.store(L + row, stride);
    } else {
      rows.load(L + row, stride);
      for (int k = 0; k < kWidth; ++k) {
        for (int j = 0; j < k; ++j) rows.x[k] -= rows.x[j] * a[k][j];
        rows.x[k] *= inverse[k];
      }
      rows.store(L + row, stride);
      rows.load(upper + row, height);
      for (int k = 1; k < kWidth; ++k) {
        for (int j = 0; j < k; ++j) rows.x[k] -= rows.x[j] * a[j][k];
      }
      rows.store(upper + row, height);
    }
  });
}

// Factors one panel: the square, L below, and Uᵀ (for a symmetric matrix L D).
template <bool kSymmetric>
void factorPanel(int width, int height, double* lower, double* upper, PivotGuard& guard) {
  if (width == 3) return factorSmallPanel<kSymmetric, 3>(height, lower, upper, guard);
  if (width == 6) return factorSmallPanel<kSymmetric, 6>(height, lower, upper, guard);
  const Eigen::OuterStride<> stride(width + height);
  Panel square(lower, width, width, stride);
  Panel L(lower + width, height, width, stride);
  Eigen::Map<MatrixXd> U(upper, height, width);
  guard.floor = kPivotFloor * square.cwiseAbs().maxCoeff();
  if (guard.floor == 0.0) guard.floor = kPivotFloor;
  if constexpr (kSymmetric) {
    factorSquareSymmetric(square, guard);
    if (height == 0) return;
    solveUnitLowerFromRight(square, L);  // L D
    U = L;
    for (int k = 0; k < width; ++k) L.col(k) *= 1.0 / square(k, k);
  } else {
    factorSquareGeneral(square, guard);
    if (height == 0) return;
    solveUpperFromRight(square, L);
    solveUnitLowerFromRight(square, U);
  }
}

// Adds a block in place, six rows at a time where it has six.
void addInto(const BlockLdu::Block& block, const BlockLdu::Place& place) {
  for (int c = 0; c < block.cols(); ++c) {
    const double* source = block.data() + c * block.outerStride();
    double* target = place.values + Eigen::Index{c} * place.stride;
    if (block.rows() == 6) {
      for (int r = 0; r < 6; ++r) target[r] += source[r];
    } else {
      for (int r = 0; r < block.rows(); ++r) target[r] += source[r];
    }
  }
}

}  // namespace

void BlockLdu::reset(const LduStructure& structure) {
  structure_ = &structure;
  lower_.resize(static_cast<std::size_t>(structure.lower_size_));
  upper_.resize(static_cast<std::size_t>(structure.upper_size_));
  work_.resize(static_cast<std::size_t>(structure.dimension_));
  below_.resize(static_cast<std::size_t>(structure.dimension_));
}

void BlockLdu::setZero() {
  std::ranges::fill(lower_, 0.0);
  std::ranges::fill(upper_, 0.0);
}

BlockLdu::Place BlockLdu::diagonal(int i) {
  const auto& place = structure_->diagonal_[i];
  return {lower_.data() + place.lower, place.lower_stride};
}

BlockLdu::Place BlockLdu::below(int e) {
  const auto& place = structure_->entry_[e];
  return {lower_.data() + place.lower, place.lower_stride};
}

BlockLdu::Place BlockLdu::above(int e) {
  const auto& place = structure_->entry_[e];
  return {(place.in_square ? lower_ : upper_).data() + place.upper, place.upper_stride};
}

int BlockLdu::lowerRow(int e) const {
  const BlockGraph& graph = structure_->graph_;
  return structure_->entry_[e].flipped ? graph.second(e) : graph.first(e);
}

bool BlockLdu::aboveIsPlain(int e) const { return structure_->entry_[e].in_square; }

void BlockLdu::keepBase() {
  base_lower_ = lower_;
  base_upper_ = upper_;
}

void BlockLdu::restoreBase() {
  lower_ = base_lower_;
  upper_ = base_upper_;
}

void BlockLdu::addDiagonal(int i, const Block& A_ii) {
  addInto(A_ii, diagonal(i));
}

void BlockLdu::addEntry(int e, const Block& A_ij, const Block& A_ji) {
  const auto& place = structure_->entry_[e];
  addInto(place.flipped ? A_ji : A_ij, below(e));
  const Block& upper = place.flipped ? A_ij : A_ji;
  if (place.in_square) {
    addInto(upper, above(e));
  } else {
    const Place target = above(e);
    Panel(target.values, upper.cols(), upper.rows(), Eigen::OuterStride<>(target.stride)) +=
        upper.transpose();
  }
}

void BlockLdu::addSymmetricEntry(int e, const Block& A_ij) {
  const Place target = below(e);
  if (structure_->entry_[e].flipped) {
    Panel(target.values, A_ij.cols(), A_ij.rows(), Eigen::OuterStride<>(target.stride)) +=
        A_ij.transpose();
  } else {
    addInto(A_ij, target);
  }
}

template <bool kSymmetric>
void BlockLdu::updateAncestors(int s) {
  const LduStructure& structure = *structure_;
  const auto& node = structure.nodes_[s];
  const int stride = node.width + node.height;
  const double* L = lower_.data() + node.lower + node.width;
  const double* U = upper_.data() + node.upper;
  for (int c = node.updates_begin; c < node.updates_end; ++c) {
    const auto& update = structure.updates_[c];
    const auto& target = structure.nodes_[update.node];
    const int target_stride = target.width + target.height;
    double* square = lower_.data() + target.lower;
    for (int r = update.runs_begin; r < update.runs_end; ++r) {
      const auto& run = structure.runs_[r];
      subtractProduct(run.count, update.width, node.width, L + run.source, stride,
                      U + update.source, node.height,
                      square + run.target + Eigen::Index{update.column} * target_stride,
                      target_stride);
      if (kSymmetric || r == update.runs_begin) continue;
      if (run.target < target.width) {  // above the diagonal, inside the square
        subtractProduct(update.width, run.count, node.width, L + update.source, stride,
                        U + run.source, node.height,
                        square + update.column + Eigen::Index{run.target} * target_stride,
                        target_stride);
      } else {
        subtractProduct(run.count, update.width, node.width, U + run.source, node.height,
                        L + update.source, stride,
                        upper_.data() + target.upper + (run.target - target.width) +
                            Eigen::Index{update.column} * target.height,
                        target.height);
      }
    }
  }
}

template <bool kSymmetric>
int BlockLdu::factor() {
  PivotGuard guard{0.0};
  for (int s = 0; s < structure_->supernodeCount(); ++s) {
    const auto& node = structure_->nodes_[s];
    double* lower = lower_.data() + node.lower;
    double* upper = upper_.data() + node.upper;
    factorPanel<kSymmetric>(node.width, node.height, lower, upper, guard);
    updateAncestors<kSymmetric>(s);
  }
  sign_ = guard.sign;
  return guard.replaced;
}

int BlockLdu::factorSymmetric() {
  const int replaced = factor<true>();
  // From here on both forms are L U: the upper triangle of every square is D Lᵀ, and Uᵀ = L D.
  for (const auto& node : structure_->nodes_) {
    Panel square(lower_.data() + node.lower, node.width, node.width,
                 Eigen::OuterStride<>(node.width + node.height));
    for (int k = 0; k < node.width; ++k) {
      for (int j = k + 1; j < node.width; ++j) square(k, j) = square(j, k) * square(k, k);
    }
  }
  return replaced;
}

int BlockLdu::factorGeneral() { return factor<false>(); }

void BlockLdu::solveInPlace(VectorXd& x) const {
  const LduStructure& structure = *structure_;
  assert(x.size() == structure.dimension_);
  const int blocks = structure.graph_.blockCount();
  double* y = work_.data();
  for (int i = 0; i < blocks; ++i) {
    std::copy_n(x.data() + structure.offset_[i], structure.graph_.size(i), y + structure.position_[i]);
  }
  double* below = below_.data();
  // L y = b, forwards: each panel gathers its share of the rows below, then hands it out.
  for (const auto& node : structure.nodes_) {
    const int stride = node.width + node.height;
    const double* lower = lower_.data() + node.lower;
    double* own = y + node.first;
    std::fill_n(below, node.height, 0.0);
    for (int k = 0; k < node.width; ++k) {
      const double* column = lower + Eigen::Index{k} * stride;
      const double value = own[k];
      for (int i = k + 1; i < node.width; ++i) own[i] -= column[i] * value;
      column += node.width;
      for (int i = 0; i < node.height; ++i) below[i] += column[i] * value;
    }
    const double* share = below;
    for (int r = node.rows_begin; r < node.rows_end; ++r) {
      const auto& rows = structure.rows_[r];
      double* target = y + rows.position;
      for (int i = 0; i < rows.count; ++i) target[i] -= share[i];
      share += rows.count;
    }
  }
  // U x = y, backwards.
  for (int s = structure.supernodeCount() - 1; s >= 0; --s) {
    const auto& node = structure.nodes_[s];
    const int stride = node.width + node.height;
    const double* lower = lower_.data() + node.lower;
    double* own = y + node.first;
    double* gathered = below;
    for (int r = node.rows_begin; r < node.rows_end; ++r) {
      const auto& rows = structure.rows_[r];
      for (int i = 0; i < rows.count; ++i) gathered[i] = y[rows.position + i];
      gathered += rows.count;
    }
    for (int k = node.width - 1; k >= 0; --k) {
      const double* above = upper_.data() + node.upper + Eigen::Index{k} * node.height;
      double sum = own[k] - dotProduct(node.height, above, below);
      for (int j = k + 1; j < node.width; ++j) sum -= lower[k + Eigen::Index{j} * stride] * own[j];
      own[k] = sum / lower[k + Eigen::Index{k} * stride];
    }
  }
  for (int i = 0; i < blocks; ++i) {
    std::copy_n(y + structure.position_[i], structure.graph_.size(i), x.data() + structure.offset_[i]);
  }
}

}  // namespace cornet
