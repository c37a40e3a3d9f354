#include "cornet/sim/held_rows.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr int kRefinements = 5;
constexpr double kMet = 1e-6;        // of the largest residual at first: what is left of it where rows are met
constexpr std::size_t kMostRows = 400;  // an orthogonal decomposition takes the cube of it

}  // namespace

bool HeldRows::areMet(std::span<const HeldRow> rows, const VectorXd& w, double nothing, double before) const {
  return std::ranges::all_of(rows, [&](const HeldRow& row) { return row.give > 1.0 || std::abs(row.calcMiss(w)) <= std::max(nothing, kMet * before); });
}

// Factors for rows that act as they do: with M = L Lᵀ and A = S G L⁻ᵀ, S scaling rows to length one: Aᵀ.
void HeldRows::decompose(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  known_.clear();
  for (const HeldRow& row : rows) known_.push_back(row);
  known_M_ = M;
  factors_.clear();
  for (int k = 0; k < M.blockCount(); ++k) factors_.emplace_back(Matrix6d(M.block(k)));
  At_.setZero(M.dimension(), count);
  scale_.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const HeldRow& row = rows[static_cast<std::size_t>(i)];
    for (const HeldPart& part : row.parts) {
      At_.col(i).segment<6>(6 * part.block) += factors_[static_cast<std::size_t>(part.block)].matrixL().solve(part.g);
    }
    const double length = At_.col(i).norm();
    scale_[i] = length > 0.0 ? 1.0 / (std::sqrt(row.give) * length) : 0.0;
    At_.col(i) *= scale_[i];
  }
  decomposition_.compute(At_);
}

bool HeldRows::isDecomposed(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) const {
  if (known_.size() != rows.size() || known_M_.blockCount() != M.blockCount()) return false;
  const auto actAlike = [](const HeldRow& one, const HeldRow& other) { return one.actsAs(other); };
  if (!std::ranges::equal(known_, rows, actAlike)) return false;
  for (int k = 0; k < M.blockCount(); ++k) {
    if (known_M_.block(k) != M.block(k)) return false;
  }
  return true;
}

// The smallest change that meets all rows best, in the metric of M: y of least length with A y = S (target - G w).
void HeldRows::meet(std::span<const HeldRow> rows, VectorXd& w, std::vector<double>* multipliers) {
  missing_.resize(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) missing_[static_cast<Eigen::Index>(i)] = scale_[static_cast<Eigen::Index>(i)] * rows[i].calcMiss(w);
  decomposition_.solveTransposed(missing_, y_);
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(6 * k);
    w.segment<6>(place) += factors_[k].matrixU().solve(Vector6d(y_.segment<6>(place)));
  }
  if (!multipliers) return;
  decomposition_.solve(y_, nu_);
  for (std::size_t i = 0; i < rows.size(); ++i) (*multipliers)[i] = scale_[static_cast<Eigen::Index>(i)] * nu_[static_cast<Eigen::Index>(i)];
}

void HeldRows::hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w,
                    std::vector<double>* multipliers) {
  if (multipliers) multipliers->assign(rows.size(), 0.0);
  if (isDecomposed(M, rows)) return meet(rows, w, multipliers);
  start_ = w;
  double before = 0.0;
  for (int refinement = 0; refinement < kRefinements; ++refinement) {
    residual_.clear();
    bool any = false;
    for (const HeldRow& row : rows) {
      residual_.push_back(row.calcMiss(w));
      if (std::abs(residual_.back()) < nothing) residual_.back() = 0.0;
      any |= residual_.back() != 0.0;
    }
    if (!any) return;
    if (refinement == 0) {
      for (const double residual : residual_) before = std::max(before, std::abs(residual));
      factor_.factor(M, rows);
    }
    change_.setZero(w.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].pull(residual_[i] * factor_.weights()[i], change_);
    }
    factor_.solveInPlace(change_);
    // K Δw = GᵀD⁻¹r is M Δw = Gᵀν with ν = D⁻¹(r - G Δw).
    for (std::size_t i = 0; multipliers && i < rows.size(); ++i) {
      const double met = rows[i].target - rows[i].calcMiss(change_);
      (*multipliers)[i] += factor_.weights()[i] * (residual_[i] - met);
    }
    w += change_;
  }
  // Corners of faces contradict each other by next to nothing: contacts alone are left as they are met.
  const bool has_joints = std::ranges::any_of(rows, [](const HeldRow& row) { return row.give <= 1.0; });
  if (!has_joints || rows.size() > kMostRows || areMet(rows, w, nothing, before)) return;
  w = start_;
  decompose(M, rows);
  meet(rows, w, multipliers);
}

}  // namespace cornet
