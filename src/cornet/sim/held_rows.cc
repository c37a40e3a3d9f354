#include "cornet/sim/held_rows.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr int kRefinements = 5;
constexpr double kMet = 1e-6;        // of the largest residual at first: what is left of it where rows are met

// Contacts are softer.
bool isJoint(const HeldRow& row) { return row.give <= 1.0; }

}  // namespace

bool HeldRows::areMet(std::span<const HeldRow> rows, const VectorXd& w, double nothing, double before) const {
  return std::ranges::all_of(rows, [&](const HeldRow& row) { return !isJoint(row) || std::abs(row.calcMiss(w)) <= std::max(nothing, kMet * before); });
}

// Factors for rows that act as they do: with M = L Lᵀ and A = S G L⁻ᵀ, S scaling rows to length one: Aᵀ.
void HeldRows::decompose(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double rank) {
  known_.clear();
  joint_rows_.clear();
  contact_rows_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    known_.push_back(rows[i]);
    (isJoint(rows[i]) ? joint_rows_ : contact_rows_).push_back(i);
  }
  known_M_ = M;
  known_rank_ = rank;
  factors_.clear();
  for (int k = 0; k < M.blockCount(); ++k) factors_.emplace_back(Matrix6d(M.block(k)));
  scale_.resize(static_cast<Eigen::Index>(rows.size()));
  const auto fill = [&](const std::vector<std::size_t>& which, Eigen::Index columns, MatrixXd& At) {
    At.setZero(M.dimension(), columns);
    for (std::size_t k = 0; k < which.size(); ++k) {
      auto column = At.col(static_cast<Eigen::Index>(k));
      for (const HeldPart& part : rows[which[k]].parts) {
        column.segment<6>(6 * part.block) += factors_[static_cast<std::size_t>(part.block)].matrixL().solve(part.g);
      }
      const double length = column.norm();
      const double scale = length > 0.0 ? 1.0 / length : 0.0;
      column *= scale;
      scale_[static_cast<Eigen::Index>(which[k])] = scale;
    }
  };
  constexpr std::size_t kTogether = 16;  // contacts come and go: matrices of one size take no memory
  room_ = static_cast<Eigen::Index>((contact_rows_.size() + kTogether - 1) / kTogether * kTogether);
  fill(joint_rows_, static_cast<Eigen::Index>(joint_rows_.size()), At_joints_);
  fill(contact_rows_, room_, At_contacts_);
  if (!joint_rows_.empty()) joints_.compute(At_joints_);
  if (!contact_rows_.empty()) decomposeContacts(rank);
}

// What joints leave of the rows of contacts; columns of zeros change nothing. A column of length one in
// a dimension of its own makes pivots absolute.
void HeldRows::decomposeContacts(double rank) {
  const Eigen::Index count = room_;
  left_.setZero(At_contacts_.rows() + 1, count + 1);
  for (Eigen::Index k = 0; k < count; ++k) {
    auto column = left_.col(k).head(At_contacts_.rows());
    column = At_contacts_.col(k);
    for (int pass = 0; pass < 2 && !joint_rows_.empty(); ++pass) {  // once more for what rounding leaves
      column_ = column;
      joints_.solve(column_, nu_);
      column.noalias() -= At_joints_ * nu_;
    }
  }
  left_(At_contacts_.rows(), count) = 1.0;
  contacts_.setThreshold(rank);
  contacts_.compute(left_);
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
  const auto scaledMiss = [&](std::size_t row) { return scale_[static_cast<Eigen::Index>(row)] * rows[row].calcMiss(w); };
  y_.setZero(w.size());
  if (!joint_rows_.empty()) {
    missing_.resize(static_cast<Eigen::Index>(joint_rows_.size()));
    for (std::size_t k = 0; k < joint_rows_.size(); ++k) missing_[static_cast<Eigen::Index>(k)] = scaledMiss(joint_rows_[k]);
    joints_.solveTransposed(missing_, y_);
  }
  if (multipliers) {
    joints_.solve(y_, nu_);
    for (std::size_t k = 0; k < joint_rows_.size(); ++k) {
      (*multipliers)[joint_rows_[k]] = scale_[static_cast<Eigen::Index>(joint_rows_[k])] * nu_[static_cast<Eigen::Index>(k)];
    }
  }
  if (!contact_rows_.empty()) {
    missing_contacts_.setZero(room_ + 1);
    missing_contacts_.head(room_).noalias() -= At_contacts_.transpose() * y_;
    for (std::size_t k = 0; k < contact_rows_.size(); ++k) missing_contacts_[static_cast<Eigen::Index>(k)] += scaledMiss(contact_rows_[k]);
    contacts_.solveTransposed(missing_contacts_, y_contacts_);
    y_ += y_contacts_.head(w.size());
  }
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(6 * k);
    w.segment<6>(place) += factors_[k].matrixU().solve(Vector6d(y_.segment<6>(place)));
  }
}

void HeldRows::holdJointsFirst(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double rank, VectorXd& w) {
  if (rank != known_rank_ || !isDecomposed(M, rows)) decompose(M, rows, rank);
  meet(rows, w, nullptr);
}

void HeldRows::holdExactly(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, VectorXd& w, std::vector<double>& multipliers) {
  multipliers.assign(rows.size(), 0.0);
  if (known_rank_ != kRank || !isDecomposed(M, rows)) decompose(M, rows, kRank);
  meet(rows, w, &multipliers);
}

void HeldRows::hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w,
                    std::vector<double>* multipliers) {
  if (multipliers) multipliers->assign(rows.size(), 0.0);
  if (known_rank_ == kRank && isDecomposed(M, rows)) return meet(rows, w, multipliers);
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
  if (!std::ranges::any_of(rows, isJoint) || rows.size() > kMostRows || areMet(rows, w, nothing, before)) return;
  w = start_;
  decompose(M, rows, kRank);
  meet(rows, w, multipliers);
}

}  // namespace cornet
