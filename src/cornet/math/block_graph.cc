#include "cornet/math/block_graph.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include <amd.h>
#include <metis.h>

#include "cornet/base/hash.h"

namespace cornet {

BlockGraph::BlockGraph(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs)
    : sizes_(sizes.begin(), sizes.end()) {
  entries_.reserve(pairs.size());
  for (const auto& [i, j] : pairs) {
    assert(i >= 0 && j >= 0 && i < blockCount() && j < blockCount());
    if (i != j) entries_.emplace_back(std::max(i, j), std::min(i, j));
  }
  std::ranges::sort(entries_);
  const auto repeated = std::ranges::unique(entries_);
  entries_.erase(repeated.begin(), repeated.end());
}

int BlockGraph::findEntry(int i, int j) const {
  const std::pair<int, int> key(std::max(i, j), std::min(i, j));
  const auto it = std::ranges::lower_bound(entries_, key);
  return it != entries_.end() && *it == key ? static_cast<int>(it - entries_.begin()) : -1;
}

std::uint64_t BlockGraph::hash() const {
  Hash hash;
  hash.add(std::span<const int>(sizes_));
  for (const auto& [i, j] : entries_) hash.add(i).add(j);
  return hash.value();
}

namespace {

// Adjacency of all blocks, both directions, compressed, without the diagonal.
struct Adjacency {
  std::vector<std::int32_t> start, neighbour;

  explicit Adjacency(const BlockGraph& graph) : start(graph.blockCount() + 1, 0) {
    for (int e = 0; e < graph.entryCount(); ++e) {
      ++start[graph.first(e) + 1];
      ++start[graph.second(e) + 1];
    }
    for (int i = 0; i < graph.blockCount(); ++i) start[i + 1] += start[i];
    neighbour.resize(2 * static_cast<std::size_t>(graph.entryCount()));
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    for (int e = 0; e < graph.entryCount(); ++e) {
      neighbour[next[graph.first(e)]++] = graph.second(e);
      neighbour[next[graph.second(e)]++] = graph.first(e);
    }
  }
};

}  // namespace

std::vector<int> makeFillReducingOrder(const BlockGraph& graph) {
  const int n = graph.blockCount();
  std::vector<int> order(static_cast<std::size_t>(n));
  if (n == 0) return order;
  Adjacency adjacency(graph);
  // Above this many blocks nested dissection saves more than it costs.
  constexpr int kDissectionFrom = 5000;
  if (n >= kDissectionFrom && graph.entryCount() > 0) {
    std::vector<idx_t> permutation(n), inverse(n);
    idx_t count = n;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (METIS_NodeND(&count, adjacency.start.data(), adjacency.neighbour.data(), nullptr, options,
                     permutation.data(), inverse.data()) == METIS_OK) {
      std::ranges::copy(permutation, order.begin());
      return order;
    }
  }
  if (amd_order(n, adjacency.start.data(), adjacency.neighbour.data(), order.data(), nullptr,
                nullptr) < AMD_OK) {
    for (int i = 0; i < n; ++i) order[i] = i;  // out of memory: any order is valid
  }
  return order;
}

}  // namespace cornet
