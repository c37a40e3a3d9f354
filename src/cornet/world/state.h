#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cornet/body/inertial_state.h"

/// What changes while a world is stepped: values that are copied, compared, hashed and saved. A State and its
/// StepMemory together determine every later step, to the bit.
namespace cornet {

/// Positions q and velocities v of all trees one after the other (BODY-2): first those of the free bodies, in the order of the
/// world, then those of articulated trees. A free body has
///
///   q = (x, y, z, q_w, q_x, q_y, q_z),   v = (v_WB, ω_WB)  of its centre of mass, world axes
struct State {
  double time = 0.0;   // [s]
  VectorXd q, v;
  VectorXd activation; // of actuators that have one, tree by tree
  VectorXd guided;     // poses of surroundings that inputs guide, one after the other: x, y, z, q_w, q_x, q_y, q_z
  VectorXd user;       // users' own: a step adds dt times `user_rate` of its inputs
  int free_count = 0;  // of free bodies

  State() = default;
  State(double the_time, std::span<const InertialState> free_bodies);

  /// A free body, by number: a copy, const so that nobody writes to it in vain.
  const InertialState body(int i) const {
    const double* x = q.data() + 7 * i;
    const double* u = v.data() + 6 * i;
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}, {u[0], u[1], u[2]}, {u[3], u[4], u[5]}};
  }
  void setBody(int i, const InertialState& body) {
    q.segment<3>(7 * i) = body.position;
    q.segment<4>(7 * i + 3) << body.orientation.w(), body.orientation.vec();
    v.segment<3>(6 * i) = body.velocity;
    v.segment<3>(6 * i + 3) = body.omega;
  }
  /// Surroundings that are guided, by number among these; at rest, for how they move is not known before the step.
  const InertialState guidedPose(int i) const {
    const double* x = guided.data() + 7 * i;
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  }
  void setGuided(int i, const InertialState& pose) {
    guided.segment<3>(7 * i) = pose.position;
    guided.segment<4>(7 * i + 3) << pose.orientation.w(), pose.orientation.vec();
  }
  void setVelocity(int i, const Vector3d& velocity, const Vector3d& omega) {
    v.segment<3>(6 * i) = velocity;
    v.segment<3>(6 * i + 3) = omega;
  }
};

/// Where all moving bodies are at a time, links of trees among them, and how they move: what follows from a State.
struct BodyStates {
  double time = 0.0;                  // [s]
  std::vector<InertialState> bodies;  // in the order of the world
  std::vector<InertialState> guided = {};  // surroundings that inputs guide, and how they move in the step that begins or ends here
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

/// What error control remembers for the next step.
struct StepControlMemory {
  double wanted = 0.0;   // [s] the step it would take where nothing cuts it; 0: it has not begun
  double error = 0.0;    // estimated error of the last step that nothing cut, in units of the accuracy
  bool is_inaccurate = false;  // the last step stands although its certificate does not accept it
  bool operator==(const StepControlMemory&) const = default;
};

/// What a step remembers for the next one.
struct StepMemory {
  std::vector<ContactMemory> contacts;        // ascending keys
  std::vector<double> constraint_impulses;  // of the world's constraints, row by row [N s]
  double dt = 0.0;                          // [s] step the impulses belong to, 0: none
  std::vector<BodyRest> rest;               // of moving bodies; empty where nothing may sleep
  std::vector<std::uint64_t> refused;       // of moving bodies: steps in a row that no number of parts made right; empty: none
  StepControlMemory control;                // of steps under error control
};

/// 64-bit hash of every bit of both.
std::uint64_t hashOf(const State& state);
std::uint64_t hashOf(const StepMemory& memory);

}  // namespace cornet
