#include "cornet/solvers/icf/icf_hessian.h"

#include <algorithm>
#include <cmath>

namespace cornet {

void IcfHessian::reset(const IcfTrees& trees, std::span<const int> island, std::span<const int> place,
                       std::span<const std::pair<int, int>> pairs, LduPlanCache& plans) {
  island_ = island;
  place_ = place;
  pattern_.assign(1, static_cast<int>(island.size()));
  start_.assign(1, 0);
  int largest = 6;
  for (const int t : island) {
    pattern_.push_back(trees.size(t));
    start_.push_back(start_.back() + trees.size(t));
    largest = std::max(largest, trees.size(t));
  }
  for (const auto& [i, j] : pairs) pattern_.insert(pattern_.end(), {place[i], place[j]});
  dimension_ = start_.back();
  if (plan_.pattern != pattern_) {
    const LduPlan* plan = plans.find(pattern_);
    if (plan == nullptr) {
      std::vector<std::pair<int, int>> local(pairs.begin(), pairs.end());
      for (auto& [i, j] : local) i = place[i], j = place[j];
      const std::span<const int> sizes(pattern_.data() + 1, island.size());
      plan = &plans.insert({pattern_, LduStructure(BlockGraph(sizes, local)), {}});
    }
    plan_ = *plan;
    scale_.resize(dimension_);
  }
  ldu_.reset(plan_.structure);  // the plan moves with this object
  const auto width = static_cast<std::size_t>(largest);
  for (auto* buffer : {&side_[0], &side_[1], &product_[0], &product_[1]}) buffer->resize(std::max(buffer->size(), 6 * width));
  block_.resize(std::max(block_.size(), width * width));
}

void IcfHessian::addBlock(int i, int first_i, int j, int first_j,
                          const Eigen::Ref<const MatrixXd, 0, Eigen::OuterStride<>>& block) {
  using Target = Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>;
  if (i == j) {
    const auto place = ldu_.diagonal(i);
    Target(place.values + first_i + Eigen::Index{first_j} * place.stride, block.rows(), block.cols(),
           Eigen::OuterStride<>(place.stride)) += block;
    return;
  }
  const int e = plan_.structure.graph().findEntry(i, j);
  const auto place = ldu_.below(e);
  if (ldu_.lowerRow(e) == i) {
    Target(place.values + first_i + Eigen::Index{first_j} * place.stride, block.rows(), block.cols(),
           Eigen::OuterStride<>(place.stride)) += block;
  } else {
    Target(place.values + first_j + Eigen::Index{first_i} * place.stride, block.cols(), block.rows(),
           Eigen::OuterStride<>(place.stride)) += block.transpose();
  }
}

void IcfHessian::setMomentum(const IcfTrees& trees) {
  ldu_.setZero();
  for (std::size_t i = 0; i < island_.size(); ++i) {
    const int t = island_[i];
    const auto A = trees.A(t);
    addBlock(static_cast<int>(i), 0, static_cast<int>(i), 0, A);
  }
}

void IcfHessian::addPair(const IcfBodies& bodies, const BodyPair& pair, const Matrix6d& G) {
  using Side = Eigen::Map<Matrix6Xd>;
  int tree[2], count = 0;
  int width[2];
  for (const int b : {pair.B, pair.A}) {
    const int t = bodies.tree(b);
    if (t < 0) continue;
    Matrix6d shift = shiftMatrix(pair.p_W - bodies.origin(b));
    if (b == pair.A) shift = -shift;
    const bool shared = count == 1 && tree[0] == t;
    const int k = shared ? 0 : count;
    width[k] = bodies.isFree(b) ? 6 : static_cast<int>(bodies.jacobian(b).cols());
    Side side(side_[k].data(), 6, width[k]);
    if (!shared) {
      side.setZero();
      tree[count++] = t;
    }
    if (bodies.isFree(b)) {
      side += shift;
    } else {
      side += shift.lazyProduct(bodies.jacobian(b));
    }
  }
  // Most trees have six velocities: sizes that the compiler knows.
  using Six = Eigen::Map<Matrix6d>;
  for (int k = 0; k < count; ++k) {
    if (width[k] == 6) {
      Six(product_[k].data()).noalias() = G.lazyProduct(Six(side_[k].data()));
    } else {
      Side(product_[k].data(), 6, width[k]).noalias() = G.lazyProduct(Side(side_[k].data(), 6, width[k]));
    }
  }
  for (int k = 0; k < count; ++k) {
    for (int l = 0; l <= k; ++l) {
      Eigen::Map<MatrixXd> block(block_.data(), width[k], width[l]);
      if (width[k] == 6 && width[l] == 6) {
        Six(block_.data()).noalias() = Six(side_[k].data()).transpose().lazyProduct(Six(product_[l].data()));
      } else {
        block.noalias() = Side(side_[k].data(), 6, width[k]).transpose().lazyProduct(Side(product_[l].data(), 6, width[l]));
      }
      addBlock(place_[tree[k]], 0, place_[tree[l]], 0, block);
    }
  }
}

void IcfHessian::addRow(const ScalarRows& rows, int row, double c) {
  const auto entries = rows.entries(row);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      const auto& a = entries[k];
      const auto& b = entries[l];
      Eigen::Map<MatrixXd> block(block_.data(), a.count, b.count);
      for (int j = 0; j < b.count; ++j) block.col(j) = c * rows.coefficients(b)(j) * rows.coefficients(a);
      addBlock(place_[a.tree], a.first, place_[b.tree], b.first, block);
    }
  }
}

void IcfHessian::findScale() {
  for (std::size_t i = 0; i < island_.size(); ++i) {
    const auto place = ldu_.diagonal(static_cast<int>(i));
    for (int k = 0; k < start_[i + 1] - start_[i]; ++k) {
      scale_(start_[i] + k) = 1.0 / std::sqrt(place.values[k + Eigen::Index{k} * place.stride]);
    }
  }
}

MatrixXd IcfHessian::makeDense() {
  MatrixXd H = MatrixXd::Zero(dimension_, dimension_);
  const auto copy = [&](const BlockLdu::Place& place, int i, int j) {
    for (int c = start_[j]; c < start_[j + 1]; ++c) {
      for (int r = start_[i]; r < start_[i + 1]; ++r) {
        H(r, c) = H(c, r) = place.values[(r - start_[i]) + Eigen::Index{c - start_[j]} * place.stride];
      }
    }
  };
  for (int i = 0; i < static_cast<int>(island_.size()); ++i) copy(ldu_.diagonal(i), i, i);
  const BlockGraph& graph = plan_.structure.graph();
  for (int e = 0; e < graph.entryCount(); ++e) {
    const int row = ldu_.lowerRow(e);
    copy(ldu_.below(e), row, graph.first(e) + graph.second(e) - row);
  }
  return H;
}

bool IcfHessian::factor() {
  findScale();
  if (!scale_.allFinite()) return false;
  const auto scaleBlock = [&](const BlockLdu::Place& place, int i, int j) {
    Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>> block(place.values, start_[i + 1] - start_[i], start_[j + 1] - start_[j],
                                                        Eigen::OuterStride<>(place.stride));
    for (int c = 0; c < block.cols(); ++c) {
      for (int r = 0; r < block.rows(); ++r) block(r, c) *= scale_(start_[i] + r) * scale_(start_[j] + c);
    }
  };
  for (int i = 0; i < static_cast<int>(island_.size()); ++i) scaleBlock(ldu_.diagonal(i), i, i);
  const BlockGraph& graph = plan_.structure.graph();
  for (int e = 0; e < graph.entryCount(); ++e) {
    const int row = ldu_.lowerRow(e);
    scaleBlock(ldu_.below(e), row, graph.first(e) + graph.second(e) - row);
  }
  return ldu_.factorSymmetric() == 0 && ldu_.determinantSign() == 1;
}

void IcfHessian::solveInPlace(VectorXd& x) const {
  x.array() *= scale_.array();
  ldu_.solveInPlace(x);
  x.array() *= scale_.array();
}

}  // namespace cornet
