#include "cornet/solvers/icf/icf_model.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

static_assert(IcfPool<PatchConstraintsPool> && IcfPool<HolonomicConstraintsPool> && IcfPool<LimitConstraintsPool> &&
              IcfPool<CouplerConstraintsPool> && IcfPool<GainConstraintsPool>);

namespace {

template <class Pool>
void requireRows(const Pool& pool, const ScalarRows& rows, const char* name) {
  for (int c = 0; c < pool.count(); ++c) {
    if (pool.row(c) < 0 || pool.row(c) >= rows.count()) {
      throw std::invalid_argument(fmt::format("{} {}: there is no row {}; give 0 to {}", name, c, pool.row(c), rows.count() - 1));
    }
  }
}

}  // namespace

void IcfModel::clear() {
  trees.clear();
  bodies.clear();
  rows.clear();
  patches.clear();
  holonomics.clear();
  limits.clear();
  couplers.clear();
  gains.clear();
  h_ = 0.0;
}

void IcfModel::reserve(const IcfSizes& sizes) {
  trees.reserve(sizes.trees, sizes.velocities_each);
  bodies.reserve(sizes.bodies, sizes.velocities_each);
  rows.reserve(sizes.rows, 2 * sizes.velocities_each);
  patches.reserve(sizes.contacts);
  holonomics.reserve(sizes.holonomics);
  limits.reserve(sizes.limits);
  couplers.reserve(sizes.couplers);
  gains.reserve(sizes.gains);
}

void IcfModel::prepare(double h) {
  bodies.check(trees);
  requireRows(limits, rows, "limit");
  requireRows(couplers, rows, "coupler");
  requireRows(gains, rows, "gain");
  trees.factorMass();
  rows.prepare(trees);
  patches.prepare(trees, bodies);
  holonomics.prepare(trees, bodies);
  setTimeStep(h);
  prepared_counts_ = counts();
  prepared_options_ = patches.options();
}

std::array<int, 8> IcfModel::counts() const {
  return {trees.count(),     bodies.count(), rows.count(),     patches.contactCount(),
          holonomics.count(), limits.count(), couplers.count(), gains.count()};
}

bool IcfModel::isPrepared() const { return h_ > 0.0 && prepared_counts_ == counts() && prepared_options_ == patches.options(); }

void IcfModel::setTimeStep(double h) {
  if (!(h > 0.0) || !std::isfinite(h)) {
    throw std::invalid_argument(fmt::format("time step: {} s; give a positive number", h));
  }
  h_ = h;
  trees.setTimeStep(h);
  patches.setTimeStep(h);
  holonomics.setTimeStep(h);
  limits.setTimeStep(h, rows);
  couplers.setTimeStep(h, rows);
  gains.setTimeStep(h, rows);
}

void IcfData::reset(const IcfModel& model) {
  motion.v.resize(model.trees.velocityCount());
  for (int t = 0; t < model.trees.count(); ++t) motion.v.segment(model.trees.start(t), model.trees.size(t)) = model.trees.v0(t);
  resize(model);
}

void IcfData::resize(const IcfModel& model) {
  gradient.resize(model.trees.velocityCount());
  motion.twists.resize(model.bodies.count());
  visitPools(model, {}, *this, [](const auto& pool, auto& data, auto) { pool.resizeData(data); });
}

void calcTwists(const IcfModel& model, std::span<const int> bodies, IcfMotion& motion) {
  for (const int b : bodies) {
    const int t = model.bodies.tree(b);
    motion.twists[b] = t < 0 ? Vector6d(Vector6d::Zero())
                             : model.bodies.twist(b, motion.v.segment(model.trees.start(t), model.trees.size(t)));
  }
}

double calcGradient(const IcfModel& model, const IcfItems& items, IcfData& data) {
  calcTwists(model, items.bodies, data.motion);
  double cost = 0.0;
  for (const int t : items.trees) {
    const auto v = data.motion.v.segment(model.trees.start(t), model.trees.size(t));
    auto g = data.gradient.segment(model.trees.start(t), model.trees.size(t));
    g = -model.trees.r(t);
    cost += 0.5 * v.dot(g);
    g += model.trees.A(t).lazyProduct(v);
    cost += 0.5 * v.dot(g);
  }
  const IcfFrame frame = model.frame();
  visitPools(model, items, data, [&](const auto& pool, auto& pool_data, std::span<const int> indices) {
    cost += pool.calcData(frame, indices, data.motion, pool_data);
    pool.addGradient(frame, indices, pool_data, data.gradient);
  });
  return cost;
}

void calcHessian(const IcfModel& model, const IcfItems& items, const IcfData& data, IcfHessian& H) {
  H.setMomentum(model.trees);
  const IcfFrame frame = model.frame();
  visitPools(model, items, data, [&](const auto& pool, const auto& pool_data, std::span<const int> indices) {
    pool.addHessian(frame, indices, pool_data, H);
  });
}

LineQuadratic startLine(const IcfModel& model, const IcfItems& items, double cost, const IcfMotion& w, IcfData& data) {
  LineQuadratic quadratic;
  for (const int t : items.trees) {
    const auto v_t = data.motion.v.segment(model.trees.start(t), model.trees.size(t));
    const auto w_t = w.v.segment(model.trees.start(t), model.trees.size(t));
    const auto A = model.trees.A(t);
    for (int j = 0; j < w_t.size(); ++j) {
      quadratic.a += w_t(j) * A.col(j).dot(w_t);
      quadratic.b += w_t(j) * (A.col(j).dot(v_t) - model.trees.r(t)(j));
    }
  }
  const IcfFrame frame = model.frame();
  visitPools(model, items, data, [&](const auto& pool, auto& pool_data, std::span<const int> indices) {
    pool.startLine(frame, indices, w, pool_data, quadratic);
  });
  quadratic.c = 0.0;
  quadratic.c = cost - calcAlong(model, items, data, quadratic, 0.0).cost;
  return quadratic;
}

LineTerms calcAlong(const IcfModel& model, const IcfItems& items, const IcfData& data, const LineQuadratic& quadratic, double alpha) {
  LineTerms terms = quadratic.at(alpha);
  visitPools(model, items, data, [&](const auto& pool, const auto& pool_data, std::span<const int> indices) {
    terms += pool.calcAlong(indices, pool_data, alpha);
  });
  return terms;
}

void listCoupledTrees(const IcfModel& model, const IcfItems& items, std::vector<std::pair<int, int>>& pairs) {
  pairs.clear();
  const auto addTrees = [&](int i, int j) {
    if (i >= 0 && j >= 0 && i != j) pairs.emplace_back(i, j);
  };
  const auto addPairs = [&](const auto& pool, std::span<const int> indices) {
    for (const int c : indices) addTrees(model.bodies.tree(pool.pair(c).A), model.bodies.tree(pool.pair(c).B));
  };
  const auto addRows = [&](const auto& pool, std::span<const int> indices) {
    for (const int c : indices) {
      const auto entries = model.rows.entries(pool.row(c));
      for (std::size_t k = 0; k < entries.size(); ++k) {
        for (std::size_t l = 0; l < k; ++l) addTrees(entries[k].tree, entries[l].tree);
      }
    }
  };
  addPairs(model.patches, items.patches);
  addPairs(model.holonomics, items.holonomics);
  addRows(model.limits, items.limits);
  addRows(model.couplers, items.couplers);
  addRows(model.gains, items.gains);
}

const IcfItems& AllItems::reset(const IcfModel& model) {
  const int counts[] = {model.trees.count(),  model.bodies.count(),   model.patches.count(), model.holonomics.count(),
                        model.limits.count(), model.couplers.count(), model.gains.count()};
  int largest = 0;
  for (const int count : counts) largest = std::max(largest, count);
  index_.resize(static_cast<std::size_t>(largest));
  std::iota(index_.begin(), index_.end(), 0);
  const auto first = [&](int count) { return std::span<const int>(index_.data(), static_cast<std::size_t>(count)); };
  items_ = {first(counts[0]), first(counts[1]), first(counts[2]), first(counts[3]), first(counts[4]), first(counts[5]), first(counts[6])};
  return items_;
}

}  // namespace cornet
