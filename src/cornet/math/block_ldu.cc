#include "cornet/math/block_ldu.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "cornet/math/panel_product.h"

namespace cornet {
namespace {

using Panel = Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>;

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
  using kernels::Columns;
  const LduStructure& structure = *structure_;
  const auto& node = structure.nodes_[s];
  const Columns<const double> L{lower_.data() + node.lower + node.width, node.width + node.height};
  const Columns<const double> U{upper_.data() + node.upper, node.height};
  const auto rowsFrom = [](Columns<const double> X, int row) {
    return Columns<const double>{X.values + row, X.stride};
  };
  for (int c = node.updates_begin; c < node.updates_end; ++c) {
    const auto& update = structure.updates_[c];
    const auto& target = structure.nodes_[update.node];
    const int stride = target.width + target.height;
    double* square = lower_.data() + target.lower;
    for (int r = update.runs_begin; r < update.runs_end; ++r) {
      const auto& run = structure.runs_[r];
      kernels::subtractProduct(run.count, update.width, node.width, rowsFrom(L, run.source), rowsFrom(U, update.source),
                               {square + run.target + Eigen::Index{update.column} * stride, stride});
      if (kSymmetric || r == update.runs_begin) continue;
      if (run.target < target.width) {  // above the diagonal, inside the square
        kernels::subtractProduct(update.width, run.count, node.width, rowsFrom(L, update.source),
                                 rowsFrom(U, run.source),
                                 {square + update.column + Eigen::Index{run.target} * stride, stride});
      } else {
        double* above = upper_.data() + target.upper + (run.target - target.width);
        kernels::subtractProduct(run.count, update.width, node.width, rowsFrom(U, run.source),
                                 rowsFrom(L, update.source),
                                 {above + Eigen::Index{update.column} * target.height, target.height});
      }
    }
  }
}

template <bool kSymmetric>
int BlockLdu::factor() {
  PivotGuard guard;
  for (int s = 0; s < structure_->supernodeCount(); ++s) {
    const auto& node = structure_->nodes_[s];
    panel_factor_.factor<kSymmetric>({node.width, node.height, lower_.data() + node.lower, upper_.data() + node.upper},
                                     guard);
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
