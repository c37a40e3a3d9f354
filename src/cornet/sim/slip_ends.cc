#include "cornet/sim/slip_ends.h"

#include <algorithm>

#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

std::uint64_t pairKey(const StepContact& contact) {
  const auto [low, high] = std::minmax({contact.a, contact.b});
  return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
}

}  // namespace

void SlipEnds::begin(const StepView& step, const Island& island) {
  const auto count = island.contacts.size();
  pairs_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    pairs_.emplace_back(pairKey(step.contacts[island.contacts[k]]), static_cast<int>(k));
  }
  std::ranges::sort(pairs_);
  work_.assign(count, 0.0);
  limit_.assign(count, 0.0);
  for (std::size_t i = 0; i < count;) {
    std::size_t j = i;
    double work = 0.0, limit = 0.0;
    for (; j < count && pairs_[j].first == pairs_[i].first; ++j) {
      const StepContact& contact = step.contacts[island.contacts[pairs_[j].second]];
      const Vector3d before = tangential(contact.rest_slip, contact.kick_normal);
      work -= tangential(contact.rest_impulse, contact.kick_normal).dot(before);
      limit += contact.mu * contact.rest_impulse.dot(contact.kick_normal) * before.norm();
    }
    for (; i < j; ++i) {
      work_[pairs_[i].second] = work;
      limit_[pairs_[i].second] = limit;
    }
  }
}

bool SlipEnds::find(const StepView& step, const StepContact& contact, std::size_t k, double rest, Vector3d& way) const {
  const Vector3d before = tangential(contact.rest_slip, contact.kick_normal);
  const Vector3d after = tangential(contact.u_after, contact.kick_normal);
  if (contact.endsSticking(StepContact::kInside)) {
    if (contact.is_impact) {
      const double share = 2.0 * contact.time / step.h;
      way = 0.5 * share * tangential(contact.u_turned, contact.kick_normal);
    } else {
      const double share = limit_[k] > 0.0 ? std::clamp(work_[k] / limit_[k], 0.0, 1.0) : 0.0;
      way = contact.way_before + 0.5 * share * rest * before;
    }
    return true;
  }
  const bool reversed = contact.mu > 0.0 && tangential(contact.rest_impulse, contact.kick_normal).dot(before + after) > 0.0;
  if (reversed) way = contact.way_before + rest * after;
  return reversed;
}

}  // namespace cornet
