#include "cornet/sim/sleep.h"

#include <algorithm>
#include <bit>

#include "cornet/base/hash.h"

namespace cornet {
namespace {

constexpr double kSleepSpeed = 1e-4;  // [m/s]: gravity gives as much in ten microseconds, rounding never

bool isSlow(const StepBody& body) {
  return body.now.velocity.norm() + body.asset->radius() * body.now.omega.norm() < kSleepSpeed;
}

bool isStill(const StepBody& surroundings) {
  return surroundings.displacement.isZero(0.0) && surroundings.turning.isZero(0.0) &&
         surroundings.end_velocity.isZero(0.0) && surroundings.end_omega.isZero(0.0) &&
         surroundings.surface.isZero(0.0) && surroundings.end_surface.isZero(0.0);
}

void add(Hash& hash, const Vector3d& x) {
  for (int k = 0; k < 3; ++k) hash.add(std::bit_cast<std::uint64_t>(x[k] + 0.0));  // -0 is 0
}

std::uint64_t mix(std::uint64_t signature, std::uint64_t key) {
  Hash hash;
  hash.add(signature);
  hash.add(key);
  return hash.value();
}

}  // namespace

// Forces first, then the bodies in touch, in the order of the contacts.
void SleepWatch::calcSignatures(const StepView& step) {
  signature_.clear();
  for (const StepBody& body : step.bodies) {
    if (!body.moves()) break;
    Hash hash;
    add(hash, body.force.force);
    add(hash, body.force.torque);
    signature_.push_back(hash.value());
  }
  const auto moving = static_cast<int>(signature_.size());
  const auto touch = [&](int body, int other) {
    if (body >= moving || signature_[body] == 0) return;
    const bool disturbed = other >= moving && !isStill(step.bodies[other]);
    signature_[body] = disturbed ? 0 : mix(signature_[body], static_cast<std::uint64_t>(other));
  };
  std::pair<int, int> last(-1, -1);  // contacts of two bodies follow each other
  for (const StepContact& contact : step.contacts) {
    const std::pair<int, int> pair(contact.a, contact.b);
    if (pair == last) continue;
    touch(contact.a, contact.b);
    touch(contact.b, contact.a);
    last = pair;
  }
}

void SleepWatch::begin(const StepView& step, const StepMemory& memory, std::span<Island> islands) {
  calcSignatures(step);
  if (memory.rest.size() != signature_.size()) return;
  const auto isRested = [&](int body) {
    const BodyRest& rest = memory.rest[body];
    return signature_[body] != 0 && rest.signature == signature_[body] && rest.seconds >= sleep_time_ &&
           isSlow(step.bodies[body]);
  };
  const auto isKnown = [&](int contact) {
    return std::ranges::binary_search(memory.contacts, step.contacts[contact].key, {}, &ContactMemory::key);
  };
  for (Island& island : islands) {
    island.asleep = island.constraints.empty() && !island.has_trees && std::ranges::all_of(island.bodies, isRested) &&
                    std::ranges::all_of(island.contacts, isKnown);
    island.is_done = island.asleep;
    if (island.asleep) putToSleep(step, memory, island);
  }
}

void SleepWatch::putToSleep(const StepView& step, const StepMemory& memory, const Island& island) {
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    const auto known = std::ranges::lower_bound(memory.contacts, contact.key, {}, &ContactMemory::key);
    contact.impulse = contact.next_impulse = step.h / memory.dt * known->impulse;
    contact.given = known->given;
    contact.kick_normal = contact.normal;
    contact.inverse_mass = 1.0;  // whatever carries is active
  }
  for (const int index : island.bodies) {
    step.bodies[index].now.velocity.setZero();
    step.bodies[index].now.omega.setZero();
  }
}

void SleepWatch::finish(const StepView& step, StepMemory& memory) const {
  if (memory.rest.size() != signature_.size()) memory.rest.assign(signature_.size(), {});
  for (std::size_t i = 0; i < signature_.size(); ++i) {
    BodyRest& rest = memory.rest[i];
    const bool same = signature_[i] != 0 && rest.signature == signature_[i] && isSlow(step.bodies[i]);
    rest.seconds = same ? rest.seconds + step.h : 0.0;
    rest.signature = signature_[i];
  }
}

}  // namespace cornet
