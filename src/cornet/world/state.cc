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

std::uint64_t hashOf(const State& state) {
  Hash hash;
  add(hash, state.time);
  hash.add(state.bodies.size());
  for (const InertialState& body : state.bodies) {
    add(hash, body.position);
    add(hash, body.orientation.w());
    add(hash, Vector3d(body.orientation.vec()));
    add(hash, body.velocity);
    add(hash, body.omega);
  }
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
  return hash.value();
}

}  // namespace cornet
