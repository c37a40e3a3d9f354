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

/// What a contact leaves to the next step.
struct ContactMemory {
  std::uint64_t key = 0;
  Vector3d impulse = Vector3d::Zero();  // on B, world axes, to begin the next solve from [N s]
  double given = 0.0;                   // overlap it was found with, as far as it is not lifted yet [m]
  bool operator==(const ContactMemory&) const = default;
};

/// How long a body has been at rest under the same forces and contacts.
struct BodyRest {
  double seconds = 0.0;
  std::uint64_t signature = 0;  // of forces and contacts
  bool operator==(const BodyRest&) const = default;
};

/// What a step remembers for the next one.
struct StepMemory {
  std::vector<ContactMemory> contacts;        // ascending keys
  std::vector<double> constraint_impulses;  // of the world's constraints, row by row [N s]
  double dt = 0.0;                          // [s] step the impulses belong to, 0: none
  std::vector<BodyRest> rest;               // of moving bodies; empty where nothing may sleep
};

/// 64-bit hash of every bit of both.
std::uint64_t hashOf(const State& state);
std::uint64_t hashOf(const StepMemory& memory);

}  // namespace cornet
