#include "cornet/sim/held_factor.h"

#include <algorithm>

#include <Eigen/LU>

namespace cornet {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

}  // namespace

bool HeldRow::actsAs(const HeldRow& other) const {
  return holds == other.holds && parts == other.parts;
}

double HeldRow::calcMiss(const VectorXd& w) const {
  double rate = 0.0;
  for (const HeldPart& part : parts) rate += part.g.dot(w.segment<6>(6 * part.block));
  return target - rate;
}

void HeldFactor::calcWeights(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) {
  inverse_inertia_.clear();
  for (int k = 0; k < M.blockCount(); ++k) {
    inverse_inertia_.push_back(Matrix3d(M.block(k).bottomRightCorner<3, 3>()).inverse());
  }
  weights_.clear();
  for (const HeldRow& row : rows) {
    double inverse_mass = 0.0;
    for (const auto& [block, g] : row.parts) {
      inverse_mass += g.head<3>().squaredNorm() / M.block(block)(0, 0) + g.tail<3>().dot(inverse_inertia_[block] * g.tail<3>());
    }
    weights_.push_back(1.0 / (row.give * proximal_ * inverse_mass));
  }
}

void HeldFactor::factor(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) {
  couplings_.clear();
  for (const HeldRow& row : rows) {
    for (int k = 1; k < row.parts.size(); ++k) {
      for (int other = 0; other < k; ++other) couplings_.push_back(std::minmax(row.parts[other].block, row.parts[k].block));
    }
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
  calcWeights(M, rows);
  ldu_.setZero();
  for (int k = 0; k < M.blockCount(); ++k) ldu_.addDiagonal(k, M.block(k));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const HeldRow& row = rows[i];
    if (!row.holds) continue;
    const double weight = weights_[i];
    for (const auto& [block, g] : row.parts) ldu_.addDiagonal(block, Matrix6d(weight * g * g.transpose()));
    for (int k = 1; k < row.parts.size(); ++k) {
      for (int other = 0; other < k; ++other) {
        const HeldPart& a = row.parts[other];
        const HeldPart& b = row.parts[k];
        const bool a_first = a.block > b.block;  // entries couple first > second
        const Matrix6d coupling = weight * (a_first ? Matrix6d(a.g * b.g.transpose()) : Matrix6d(b.g * a.g.transpose()));
        ldu_.addSymmetricEntry(structure_->graph().findEntry(a.block, b.block), coupling);
      }
    }
  }
  ldu_.factorSymmetric();
}

}  // namespace cornet
