#include "cornet/world/state.h"

#include <bit>

#include "cornet/base/hash.h"

namespace cornet {
namespace {

void add(Hash& hash, double x) { hash.add(std::bit_cast<std::uint64_t>(x)); }

void add(Hash& hash, const Vector3d& x) {
  for (int k = 0; k < 3; ++k) add(hash, x[k]);
}

}  // namespace

State::State(double the_time, std::span<const InertialState> free_bodies)
    : time(the_time),
      q(static_cast<Eigen::Index>(7 * free_bodies.size())),
      v(static_cast<Eigen::Index>(6 * free_bodies.size())),
      free_count(static_cast<int>(free_bodies.size())) {
  for (int i = 0; i < free_count; ++i) setBody(i, free_bodies[static_cast<std::size_t>(i)]);
}

std::uint64_t hashOf(const State& state) {
  Hash hash;
  add(hash, state.time);
  hash.add(static_cast<std::uint64_t>(state.free_count));
  for (int i = 0; i < state.free_count; ++i) {
    for (int k = 0; k < 7; ++k) add(hash, state.q[7 * i + k]);
    for (int k = 0; k < 6; ++k) add(hash, state.v[6 * i + k]);
  }
  for (Eigen::Index k = 7 * state.free_count; k < state.q.size(); ++k) add(hash, state.q[k]);
  for (Eigen::Index k = 6 * state.free_count; k < state.v.size(); ++k) add(hash, state.v[k]);
  for (const double x : state.activation) add(hash, x);
  for (const double x : state.guided) add(hash, x);
  for (const double x : state.user) add(hash, x);
  return hash.value();
}

std::uint64_t hashOf(const StepMemory& memory) {
  Hash hash;
  add(hash, memory.dt);
  hash.add(memory.contacts.size());
  for (const ContactMemory& contact : memory.contacts) {
    hash.add(contact.key);
    add(hash, contact.impulse);
    add(hash, contact.given);
  }
  for (const double x : memory.constraint_impulses) add(hash, x);
  for (const BodyRest& rest : memory.rest) {
    add(hash, rest.seconds);
    hash.add(rest.signature);
  }
  for (const std::uint64_t count : memory.refused) hash.add(count);
  if (memory.control != StepControlMemory{}) {
    add(hash, memory.control.wanted);
    add(hash, memory.control.error);
    hash.add(memory.control.is_inaccurate);
  }
  return hash.value();
}

}  // namespace cornet
