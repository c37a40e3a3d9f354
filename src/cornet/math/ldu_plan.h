#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cornet/math/block_ldu.h"

namespace cornet {

/// What a caller works out once for a pattern: the symbolic factorization, and for each of its own
/// blocks the entry of the graph it goes to.
struct LduPlan {
  std::vector<int> pattern;  // the numbers that describe the caller's pattern
  LduStructure structure;
  std::vector<int> entry;    // in the caller's order
};

/// Plans by pattern, found by hash and confirmed by comparison. Keeps the last ones used. Finding a
/// plan allocates nothing.
class LduPlanCache {
 public:
  /// The plan of this pattern, or nullptr when there is none yet.
  const LduPlan* find(std::span<const int> pattern);
  /// Takes a plan in and returns it; the one that was not used for longest makes room.
  const LduPlan& insert(LduPlan plan);

 private:
  static constexpr std::size_t kCapacity = 256;  // a step has many islands

  struct Slot {
    std::uint64_t hash;
    std::uint64_t last_use;
    std::unique_ptr<LduPlan> plan;
  };
  std::vector<Slot> slots_;
  std::uint64_t clock_ = 0;
};

}  // namespace cornet
