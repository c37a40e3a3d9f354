#include "cornet/sim/held_factor.h"

#include <algorithm>

#include <Eigen/LU>

namespace cornet {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

}  // namespace

bool HeldRow::actsAs(const HeldRow& other) const {
  return holds == other.holds && block_a == other.block_a && block_b == other.block_b && on_a == other.on_a && on_b == other.on_b;
}

double HeldRow::calcMiss(const VectorXd& w) const {
  double rate = 0.0;
  if (block_a >= 0) rate += on_a.dot(w.segment<6>(6 * block_a));
  if (block_b >= 0) rate += on_b.dot(w.segment<6>(6 * block_b));
  return target - rate;
}

void HeldFactor::calcWeights(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) {
  inverse_inertia_.clear();
  for (int k = 0; k < M.blockCount(); ++k) {
    inverse_inertia_.push_back(Matrix3d(M.block(k).bottomRightCorner<3, 3>()).inverse());
  }
  const auto inverseMass = [&](int block, const Vector6d& g) {
    if (block < 0) return 0.0;
    return g.head<3>().squaredNorm() / M.block(block)(0, 0) + g.tail<3>().dot(inverse_inertia_[block] * g.tail<3>());
  };
  weights_.clear();
  for (const HeldRow& row : rows) {
    weights_.push_back(1.0 / (row.give * proximal_ * (inverseMass(row.block_a, row.on_a) + inverseMass(row.block_b, row.on_b))));
  }
}

void HeldFactor::factor(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) {
  couplings_.clear();
  for (const HeldRow& row : rows) {
    if (row.block_a >= 0 && row.block_b >= 0) couplings_.push_back(std::minmax(row.block_a, row.block_b));
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

}  // namespace cornet
