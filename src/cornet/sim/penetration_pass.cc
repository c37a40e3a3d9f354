#include "cornet/sim/penetration_pass.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr int kPushRounds = 60;      // a dozen is usual
constexpr double kMissLeft = 1e-4;   // of the largest miss
constexpr double kPullShare = 1e-3;  // of that, for rows that hold: their compliance, so that it is as much motion
constexpr int kBisections = 40;

}  // namespace

// w + K⁻¹Gᵀ D⁻¹(target - G w) for the rows that push.
void PenetrationPass::push(std::span<const HeldRow> rows, VectorXd& w) {
  change_.setZero(w.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const HeldRow& row = rows[i];
    if (!row.holds) continue;
    row.pull(factor_.weights()[i] * row.calcMiss(w), change_);
  }
  factor_.solveInPlace(change_);
  w += change_;
}

// Whether no row pulls that holds, and none is missed that does not. What a row that pushes still misses is what its
// compliance gives: of the sign of ν.
bool PenetrationPass::areRight(std::span<const HeldRow> rows, const VectorXd& w, double nothing) const {
  return std::ranges::all_of(rows, [&](const HeldRow& row) {
    return !row.one_sided || (row.calcMiss(w) > (row.holds ? -kPullShare * nothing : nothing)) == row.holds;
  });
}

// How far to go from w to full_: to where F is lowest, at most all the way.
double PenetrationPass::calcLength(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, const VectorXd& w) {
  change_ = full_ - w;
  M.multiply(change_, momentum_);
  const double slope = (w - before_).dot(momentum_);
  const double curvature = change_.dot(momentum_);
  miss_.resize(rows.size());
  gain_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    miss_[i] = rows[i].calcMiss(w);
    gain_[i] = miss_[i] - rows[i].calcMiss(full_);
  }
  const auto calcSlope = [&](double t) {
    double sum = slope + t * curvature;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double miss = miss_[i] - t * gain_[i];
      sum -= factor_.weights()[i] * (rows[i].one_sided ? std::max(0.0, miss) : miss) * gain_[i];
    }
    return sum;
  };
  if (!(calcSlope(1.0) > 0.0)) return 1.0;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < kBisections; ++k) {
    const double middle = 0.5 * (low + high);
    (calcSlope(middle) > 0.0 ? high : low) = middle;
  }
  return low;
}

bool PenetrationPass::run(const BlockDiagonalMatrix& M, std::span<HeldRow> rows, VectorXd& w) {
  before_ = w;
  double largest = 0.0;
  for (int round = 0; round < kPushRounds; ++round) {
    for (HeldRow& row : rows) {
      const double miss = row.calcMiss(w);
      row.holds = !row.one_sided || miss > 0.0;
      if (round == 0) largest = std::max(largest, row.one_sided ? miss : std::abs(miss));
    }
    factor_.factor(M, rows);
    full_ = before_;
    push(rows, full_);
    if (areRight(rows, full_, kMissLeft * largest)) {
      w = full_;
      return true;
    }
    w += calcLength(M, rows, w) * (full_ - w);
  }
  return false;
}

}  // namespace cornet
