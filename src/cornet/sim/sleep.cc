#include "cornet/sim/sleep.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cornet/base/hash.h"

namespace cornet {
namespace {

constexpr double kSleepSpeed = 1e-4;  // [m/s]: gravity gives as much in ten microseconds, rounding never
constexpr double kDriveStill = 1e-9;  // [m/s] or [rad/s] of springs, servos and dampers: what is faster still moves, rounding never is

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

void add(Hash& hash, double x) { hash.add(std::bit_cast<std::uint64_t>(x + 0.0)); }

// What the drive of a joint aims at and has to give; targets by the stretch of a pose that is always the same.
std::uint64_t calcAim(const StepConstraint& constraint) {
  const JointDrive& drive = *constraint.drive;
  const LambdaBounds bounds = drive.boundsWith(constraint.input);
  Hash hash;
  add(hash, bounds.lower);
  add(hash, bounds.upper);
  add(hash, drive.rateWith(constraint.input));
  const InertialState anywhere;
  if (const std::optional<ForceLaw> force = drive.forceLawWith(constraint.input, anywhere, anywhere)) {
    add(hash, force->stiffness);
    add(hash, force->damping);
    add(hash, force->stretch);
    add(hash, force->rate);
  }
  return hash.value();
}

// A joint that would move bodies although nothing else does: its rows run by themselves, or a spring is still on its way. Of box
// rows of users' own nobody knows.
bool isAwake(double time, StepConstraint& constraint) {
  if (constraint.drive == nullptr) {
    return constraint.kind == LawKind::box || !constraint.law.calcTargetRate(time).isZero(0.0);
  }
  const bool has_force = constraint.drive->forceLawWith(constraint.input, constraint.law.states()[0], constraint.law.states()[1]).has_value();
  return has_force && !(std::abs(constraint.rate_before[0]) < kDriveStill);
}

std::uint64_t mix(std::uint64_t signature, std::uint64_t key) {
  Hash hash;
  hash.add(signature);
  hash.add(key);
  return hash.value();
}

}  // namespace

// Forces first, then the bodies in touch, in the order of the contacts, then joints in the order of the world.
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
  for (StepConstraint& constraint : step.constraints) {
    if (constraint.is_active) addJoint(step, constraint);
  }
}

void SleepWatch::addJoint(const StepView& step, StepConstraint& constraint) {
  const auto moving = static_cast<int>(signature_.size());
  const auto moves = [&](int body) { return body < moving; };
  const auto isDisturbed = [&](int body) { return !moves(body) && !isStill(step.bodies[body]); };
  const bool awake = isAwake(step.time, constraint) || std::ranges::any_of(constraint.bodies, isDisturbed);
  Hash hash;
  hash.add(static_cast<std::uint64_t>(constraint.index));
  if (constraint.drive != nullptr) hash.add(calcAim(constraint));
  for (const int body : constraint.bodies) {
    if (!moves(body) || signature_[body] == 0) continue;
    signature_[body] = awake ? 0 : mix(signature_[body], hash.value());
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
  const auto isRemembered = [&](int index) {
    const StepConstraint& constraint = step.constraints[index];
    return static_cast<std::size_t>(constraint.first + constraint.impulse.size()) <= memory.constraint_impulses.size();
  };
  for (Island& island : islands) {
    island.asleep = !island.has_trees && std::ranges::all_of(island.bodies, isRested) &&
                    std::ranges::all_of(island.contacts, isKnown) && std::ranges::all_of(island.constraints, isRemembered);
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
    contact.kick_arm_a = contact.arm_a;
    contact.kick_arm_b = contact.arm_b;
    contact.inverse_mass = 1.0;  // whatever carries is active
  }
  for (const int index : island.bodies) {
    step.bodies[index].now.velocity.setZero();
    step.bodies[index].now.omega.setZero();
  }
  for (const int index : island.constraints) {
    StepConstraint& constraint = step.constraints[index];
    turnConstraint(step.time, step.h, 0.0, step.bodies, constraint);
    for (Eigen::Index k = 0; k < constraint.impulse.size(); ++k) {
      constraint.impulse[k] = step.h / memory.dt * memory.constraint_impulses[static_cast<std::size_t>(constraint.first + k)];
    }
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
