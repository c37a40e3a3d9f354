#include "cornet/sim/held_rows.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

}  // namespace

void HeldRows::factor(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) {
  couplings_.clear();
  for (const HeldRow& row : rows) {
    if (row.block_a >= 0 && row.block_b >= 0) couplings_.emplace_back(row.block_a, row.block_b);
  }
  std::ranges::sort(couplings_);
  couplings_.erase(std::ranges::unique(couplings_).begin(), couplings_.end());
  if (structure_ == nullptr || structure_->graph().blockCount() != M.blockCount() ||
      couplings_ != known_couplings_) {
    const std::vector<int> sizes(static_cast<std::size_t>(M.blockCount()), 6);
    structure_ = std::make_unique<LduStructure>(BlockGraph(sizes, couplings_));
    known_couplings_ = couplings_;
    ldu_.reset(*structure_);
  }
  ldu_.setZero();
  for (int k = 0; k < M.blockCount(); ++k) ldu_.addDiagonal(k, M.block(k));
  for (const HeldRow& row : rows) {
    const double weight = 1.0 / (proximal_ * row.inverse_mass);
    const auto addOwn = [&](int block, const Vector6d& g) {
      if (block >= 0) ldu_.addDiagonal(block, Matrix6d(weight * g * g.transpose()));
    };
    addOwn(row.block_a, row.on_a);
    addOwn(row.block_b, row.on_b);
    if (row.block_a < 0 || row.block_b < 0) continue;
    const bool a_first = row.block_a > row.block_b;  // entries couple first > second
    const Matrix6d coupling = weight * (a_first ? Matrix6d(row.on_a * row.on_b.transpose())
                                                : Matrix6d(row.on_b * row.on_a.transpose()));
    ldu_.addSymmetricEntry(structure_->graph().findEntry(row.block_a, row.block_b), coupling);
  }
  ldu_.factorSymmetric();
}

void HeldRows::hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w) {
  for (int refinement = 0; refinement < refinements_; ++refinement) {
    residual_.clear();
    bool any = false;
    for (const HeldRow& row : rows) {
      double rate = 0.0;
      if (row.block_a >= 0) rate += row.on_a.dot(w.segment<6>(6 * row.block_a));
      if (row.block_b >= 0) rate += row.on_b.dot(w.segment<6>(6 * row.block_b));
      residual_.push_back(row.target - rate);
      if (std::abs(residual_.back()) < nothing) residual_.back() = 0.0;
      any |= residual_.back() != 0.0;
    }
    if (!any) return;
    if (refinement == 0) factor(M, rows);
    change_.setZero(w.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const HeldRow& row = rows[i];
      const double pull = residual_[i] / (proximal_ * row.inverse_mass);
      if (row.block_a >= 0) change_.segment<6>(6 * row.block_a) += pull * row.on_a;
      if (row.block_b >= 0) change_.segment<6>(6 * row.block_b) += pull * row.on_b;
    }
    ldu_.solveInPlace(change_);
    w += change_;
  }
}

}  // namespace cornet
