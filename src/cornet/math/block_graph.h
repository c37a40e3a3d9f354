#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cornet {

/// The symmetric pattern of a block matrix: blocks of given sizes, and which of them are coupled.
/// Entry e couples blocks first(e) > second(e); diagonal blocks are always there.
class BlockGraph {
 public:
  BlockGraph() = default;
  /// `pairs` in any order and with repetitions; (i, j) and (j, i) are the same.
  BlockGraph(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs);

  int blockCount() const { return static_cast<int>(sizes_.size()); }
  int size(int i) const { return sizes_[i]; }
  std::span<const int> sizes() const { return sizes_; }
  int entryCount() const { return static_cast<int>(entries_.size()); }
  int first(int e) const { return entries_[e].first; }
  int second(int e) const { return entries_[e].second; }
  /// Index of the entry of (i, j), i != j, or -1.
  int findEntry(int i, int j) const;

  /// A number that differs for different patterns, for caching what depends on the pattern alone.
  std::uint64_t hash() const;
  bool operator==(const BlockGraph&) const = default;

 private:
  std::vector<int> sizes_;
  std::vector<std::pair<int, int>> entries_;  // sorted, first > second
};

/// An elimination order with little fill: order[k] is the block eliminated k-th. Approximate minimum
/// degree for small graphs, nested dissection above some thousand blocks. Deterministic.
std::vector<int> makeFillReducingOrder(const BlockGraph& graph);

}  // namespace cornet
