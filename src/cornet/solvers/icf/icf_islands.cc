#include "cornet/solvers/icf/icf_islands.h"

#include <algorithm>

namespace cornet {

void IcfIslands::appendRow(std::span<int> trees) {
  pattern_.appendRow(1);
  std::ranges::sort(trees);
  int last = -1;
  for (const int t : trees) {
    if (t >= 0 && t != last) pattern_.appendBlock(t);
    last = t;
  }
}

void IcfIslands::split(const IcfModel& model) {
  // One row for each tree, then one for each constraint.
  pattern_.reset(model.trees.starts());
  std::array<int, kBodies + 1> first{};
  for (int t = 0; t < model.trees.count(); ++t) appendRow({&t, 1});
  first[kPatches] = pattern_.rowBlockCount();
  const auto appendPairs = [&](const auto& pool) {
    for (int c = 0; c < pool.count(); ++c) {
      int pair[] = {model.bodies.tree(pool.pair(c).A), model.bodies.tree(pool.pair(c).B)};
      appendRow(pair);
    }
    return pattern_.rowBlockCount();
  };
  const auto appendRows = [&](const auto& pool) {
    for (int c = 0; c < pool.count(); ++c) {
      trees_.clear();
      for (const auto& entry : model.rows.entries(pool.row(c))) trees_.push_back(entry.tree);
      appendRow(trees_);
    }
    return pattern_.rowBlockCount();
  };
  first[kHolonomics] = appendPairs(model.patches);
  first[kLimits] = appendPairs(model.holonomics);
  first[kCouplers] = appendRows(model.limits);
  first[kGains] = appendRows(model.couplers);
  first[kBodies] = appendRows(model.gains);
  islands_.split(pattern_);

  for (auto& list : list_) list.clear();
  for (auto& begin : begin_) begin.assign(1, 0);
  place_.resize(static_cast<std::size_t>(model.trees.count()));
  for (int island = 0; island < count(); ++island) {
    int kind = kTrees;
    for (const int row : islands_.rows(island)) {
      while (row >= first[static_cast<std::size_t>(kind) + 1]) ++kind;
      list_[kind].push_back(row - first[kind]);
    }
    for (int k = kTrees; k < kBodies; ++k) begin_[k].push_back(static_cast<int>(list_[k].size()));
    const auto trees = items(island).trees;
    for (std::size_t i = 0; i < trees.size(); ++i) place_[trees[i]] = static_cast<int>(i);
  }
  // Bodies by the island of their tree, ascending.
  auto& begin = begin_[kBodies];
  begin.assign(static_cast<std::size_t>(count()) + 2, 0);
  const auto island_of = [&](int b) { return model.bodies.tree(b) < 0 ? -1 : islands_.ofRow()[model.bodies.tree(b)]; };
  for (int b = 0; b < model.bodies.count(); ++b) {
    if (const int island = island_of(b); island >= 0) ++begin[island + 2];
  }
  for (std::size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
  list_[kBodies].resize(static_cast<std::size_t>(begin.back()));
  for (int b = 0; b < model.bodies.count(); ++b) {
    if (const int island = island_of(b); island >= 0) list_[kBodies][begin[island + 1]++] = b;
  }
  begin.pop_back();
}

IcfItems IcfIslands::items(int island) const {
  const auto part = [&](Kind kind) {
    const int begin = begin_[kind][island];
    return std::span<const int>(list_[kind].data() + begin, static_cast<std::size_t>(begin_[kind][island + 1] - begin));
  };
  // Bodies are listed last; until then there are none.
  const bool has_bodies = begin_[kBodies].size() > static_cast<std::size_t>(island) + 1;
  return {part(kTrees), has_bodies ? part(kBodies) : std::span<const int>(), part(kPatches), part(kHolonomics),
          part(kLimits), part(kCouplers), part(kGains)};
}

}  // namespace cornet
