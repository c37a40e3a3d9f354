#pragma once

#include <cstdint>
#include <vector>

#include "cornet/body/inertial_state.h"

/// What changes while a world is stepped: values that are copied, compared, hashed and saved. A State and its
/// StepMemory together determine every later step, to the bit.
namespace cornet {

struct State {
  double time = 0.0;                  // [s]
  std::vector<InertialState> bodies;  // the moving ones, in the order of the world
};

/// An impulse to begin the next solve from.
struct WarmImpulse {
  std::uint64_t key = 0;                // of the contact
  Vector3d impulse = Vector3d::Zero();  // on B, world axes [N s]
  bool operator==(const WarmImpulse&) const = default;
};

/// How long a body has been at rest under the same forces and contacts.
struct BodyRest {
  double seconds = 0.0;
  std::uint64_t signature = 0;  // of forces and contacts
  bool operator==(const BodyRest&) const = default;
};

/// What a step remembers for the next one.
struct StepMemory {
  std::vector<WarmImpulse> impulses;        // ascending keys
  std::vector<double> constraint_impulses;  // of the world's constraints, row by row [N s]
  double dt = 0.0;                          // [s] step the impulses belong to, 0: none
  std::vector<BodyRest> rest;               // of moving bodies; empty where nothing may sleep
};

/// 64-bit hash of every bit of both.
std::uint64_t hashOf(const State& state);
std::uint64_t hashOf(const StepMemory& memory);

}  // namespace cornet
