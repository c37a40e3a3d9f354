#include "cornet/solvers/icf/scalar_rows.h"

#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

void ScalarRows::clear() {
  begin_.assign(1, 0);
  entries_.clear();
  coefficients_.clear();
}

void ScalarRows::reserve(int rows, int coefficients_each) {
  const auto n = static_cast<std::size_t>(rows);
  begin_.reserve(n + 1);
  entries_.reserve(2 * n);
  coefficients_.reserve(n * static_cast<std::size_t>(coefficients_each));
  inverse_mass_.reserve(n);
}

Eigen::Map<VectorXd> ScalarRows::open(int tree, int first, int count) {
  entries_.push_back({tree, first, count, static_cast<int>(coefficients_.size())});
  coefficients_.resize(coefficients_.size() + static_cast<std::size_t>(count), 0.0);
  return {coefficients_.data() + entries_.back().start, count};
}

Eigen::Map<VectorXd> ScalarRows::findOrOpen(const IcfTrees& trees, int tree) {
  for (std::size_t e = static_cast<std::size_t>(begin_.back()); e < entries_.size(); ++e) {
    if (entries_[e].tree == tree) return {coefficients_.data() + entries_[e].start, entries_[e].count};
  }
  return open(tree, 0, trees.size(tree));
}

int ScalarRows::addVelocity(const IcfTrees& trees, int tree, int dof) {
  if (tree < 0 || tree >= trees.count() || dof < 0 || dof >= trees.size(tree)) {
    throw std::invalid_argument(fmt::format("row {}: there is no velocity {} of tree {}; give one of its own", count(), dof, tree));
  }
  open(tree, dof, 1)(0) = 1.0;
  begin_.push_back(static_cast<int>(entries_.size()));
  return count() - 1;
}

int ScalarRows::addTwist(const IcfTrees& trees, const IcfBodies& bodies, const BodyPair& pair, const Vector6d& s) {
  if (!s.allFinite() || pair.A < 0 || pair.B < 0 || pair.A >= bodies.count() || pair.B >= bodies.count() || pair.A == pair.B) {
    throw std::invalid_argument(fmt::format("row {}: bodies {} and {} or its direction; give two different bodies and finite numbers",
                                            count(), pair.A, pair.B));
  }
  for (const auto& [body, sign] : {std::pair{pair.B, 1.0}, std::pair{pair.A, -1.0}}) {
    const int tree = bodies.tree(body);
    if (tree < 0) continue;
    bodies.addForce(body, shiftForce(sign * s, pair.p_W - bodies.origin(body)), findOrOpen(trees, tree));
  }
  begin_.push_back(static_cast<int>(entries_.size()));
  return count() - 1;
}

int ScalarRows::addTree(const IcfTrees& trees, int tree, const Eigen::Ref<const VectorXd>& g) {
  if (tree < 0 || tree >= trees.count() || g.size() != trees.size(tree) || !g.allFinite()) {
    throw std::invalid_argument(fmt::format("row {}: {} coefficients for tree {}; give finite ones, one for each of its velocities",
                                            count(), g.size(), tree));
  }
  open(tree, 0, trees.size(tree)) = g;
  begin_.push_back(static_cast<int>(entries_.size()));
  return count() - 1;
}

int ScalarRows::addBodies(const IcfTrees& trees, const IcfBodies& bodies, std::span<const int> members, std::span<const double> s) {
  if (s.size() != 6 * members.size()) {
    throw std::invalid_argument(fmt::format("row {}: {} numbers for {} bodies; give six for each", count(), s.size(), members.size()));
  }
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Eigen::Map<const Vector6d> own(s.data() + 6 * k);
    const int body = members[k];
    if (body < 0 || body >= bodies.count() || !own.allFinite()) {
      throw std::invalid_argument(fmt::format("row {}: body {} or its direction; give a body that exists and finite numbers", count(), body));
    }
    if (bodies.tree(body) < 0 || own.isZero(0.0)) continue;
    bodies.addForce(body, own, findOrOpen(trees, bodies.tree(body)));
  }
  begin_.push_back(static_cast<int>(entries_.size()));
  return count() - 1;
}

int ScalarRows::addSum(const IcfTrees& trees, int i, double c_i, int j, double c_j) {
  for (const auto& [row, c] : {std::pair{i, c_i}, std::pair{j, c_j}}) {
    if (row < 0 || row >= count()) {
      throw std::invalid_argument(fmt::format("row {}: there is no row {} to add; give 0 to {}", count(), row, count() - 1));
    }
    for (int e = begin_[row]; e < begin_[row + 1]; ++e) {
      const Entry entry = entries_[e];
      auto sum = findOrOpen(trees, entry.tree);
      sum.segment(entry.first, entry.count) += c * coefficients(entry);
    }
  }
  begin_.push_back(static_cast<int>(entries_.size()));
  return count() - 1;
}

double ScalarRows::rate(const IcfTrees& trees, int row, const VectorXd& v) const {
  double y = 0.0;
  for (const Entry& entry : entries(row)) {
    y += coefficients(entry).dot(v.segment(trees.start(entry.tree) + entry.first, entry.count));
  }
  return y;
}

void ScalarRows::addForce(const IcfTrees& trees, int row, double force, VectorXd& out) const {
  for (const Entry& entry : entries(row)) {
    out.segment(trees.start(entry.tree) + entry.first, entry.count) += force * coefficients(entry);
  }
}

void ScalarRows::prepare(const IcfTrees& trees) {
  inverse_mass_.assign(static_cast<std::size_t>(count()), 0.0);
  for (int row = 0; row < count(); ++row) {
    for (const Entry& entry : entries(row)) {
      scratch_.assign(static_cast<std::size_t>(trees.size(entry.tree)), 0.0);
      Eigen::Map<VectorXd> z(scratch_.data(), trees.size(entry.tree));
      z.segment(entry.first, entry.count) = coefficients(entry);
      trees.solveLower(entry.tree, z);
      inverse_mass_[row] += z.squaredNorm();
    }
  }
}

}  // namespace cornet
