#include "cornet/sim/penetration_pass.h"

#include <algorithm>

namespace cornet {
namespace {

constexpr int kRounds = 30;
constexpr int kPatience = 4;         // rounds without fewer wrong rows
constexpr double kNothing = 1e-4;    // of the largest miss
constexpr double kPullShare = 1e-3;  // of that, for rows that hold: their compliance, so that it is as much motion

}  // namespace

// w + K⁻¹Gᵀ D⁻¹(target - G w) for the rows that push.
void PenetrationPass::push(std::span<const HeldRow> rows, VectorXd& w) {
  change_.setZero(w.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const HeldRow& row = rows[i];
    if (!row.holds) continue;
    const double pull = factor_.weights()[i] * row.calcMiss(w);
    if (row.block_a >= 0) change_.segment<6>(6 * row.block_a) += pull * row.on_a;
    if (row.block_b >= 0) change_.segment<6>(6 * row.block_b) += pull * row.on_b;
  }
  factor_.solveInPlace(change_);
  w += change_;
}

// Rows that pull though they hold, or are missed though they do not. What a row that pushes still misses is what its
// compliance gives: of the sign of ν.
void PenetrationPass::findWrong(std::span<const HeldRow> rows, const VectorXd& w, double nothing) {
  wrong_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool pushes = rows[i].calcMiss(w) > (rows[i].holds ? -kPullShare * nothing : nothing);
    if (pushes != rows[i].holds) wrong_.push_back(i);
  }
}

bool PenetrationPass::run(const BlockDiagonalMatrix& M, std::span<HeldRow> rows, VectorXd& w) {
  double largest = 0.0;
  for (HeldRow& row : rows) {
    const double miss = row.calcMiss(w);
    row.holds = miss > 0.0;
    largest = std::max(largest, miss);
  }
  before_ = w;
  std::size_t fewest = rows.size() + 1;
  int patience = kPatience;
  for (int round = 0; round < kRounds; ++round) {
    factor_.factor(M, rows);
    w = before_;
    push(rows, w);
    findWrong(rows, w, kNothing * largest);
    if (wrong_.empty()) return true;
    patience = wrong_.size() < fewest ? kPatience : patience - 1;
    fewest = std::min(fewest, wrong_.size());
    // All at once, as long as that helps; then one by one, the last, which ends what goes in circles.
    const std::size_t first = patience > 0 ? 0 : wrong_.size() - 1;
    for (std::size_t k = first; k < wrong_.size(); ++k) rows[wrong_[k]].holds = !rows[wrong_[k]].holds;
  }
  w = before_;
  return false;
}

}  // namespace cornet
