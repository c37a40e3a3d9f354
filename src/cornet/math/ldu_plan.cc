#include "cornet/math/ldu_plan.h"

#include <algorithm>
#include <utility>

#include "cornet/base/hash.h"

namespace cornet {

const LduPlan* LduPlanCache::find(std::span<const int> pattern) {
  const std::uint64_t hash = Hash().add(pattern).value();
  for (Slot& slot : slots_) {
    if (slot.hash != hash || !std::ranges::equal(slot.plan->pattern, pattern)) continue;
    slot.last_use = ++clock_;
    return slot.plan.get();
  }
  return nullptr;
}

const LduPlan& LduPlanCache::insert(LduPlan plan) {
  const std::uint64_t hash = Hash().add(std::span<const int>(plan.pattern)).value();
  Slot slot{hash, ++clock_, std::make_unique<LduPlan>(std::move(plan))};
  if (slots_.size() < kCapacity) {
    slots_.push_back(std::move(slot));
    return *slots_.back().plan;
  }
  Slot& oldest = *std::ranges::min_element(slots_, {}, &Slot::last_use);
  oldest = std::move(slot);
  return *oldest.plan;
}

}  // namespace cornet
