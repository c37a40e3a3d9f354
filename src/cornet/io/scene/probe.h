#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cornet/math/types.h"
#include "cornet/world/world_model.h"

/// Numbers that a scene watches while it runs.
namespace cornet {

enum class Quantity {
  position, displacement, velocity, omega, turn, angular_momentum, contact_force,  // vectors
  angle, tilt, normal_force, friction_force, friction_ratio, slip,                  // of a body
  joint_force, joint_torque,                                                        // of a joint; vectors
  joint_position, joint_rate, joint_error, motor_effort, motor_power,
  actuator_force, actuator_control, activation,                                     // of an actuator of a robot
  kinetic, potential, energy, work, dissipated, energy_gain,
  penetration, certificate, contacts, sticking, impacts, unsolved, inaccurate
};

/// What a quantity is of.
enum class QuantityOf { body, joint, actuator, world };

/// What a quantity needs and gives.
struct QuantityInfo {
  Quantity quantity;
  std::string_view name;
  std::string_view unit;
  bool is_vector;
  QuantityOf of;
  bool is_of_step;  // there is none before the first step
};

std::span<const QuantityInfo> allQuantities();
const QuantityInfo& infoOf(Quantity quantity);

struct Probe {
  std::string name;
  Quantity quantity = Quantity::energy;
  int body = -1;
  int joint = -1;
  TreePart part = {};                // the joint or actuator, where it is one of a robot
  int other = -1;                    // relative to this body; of contacts: with this body
  std::optional<Vector3d> point;     // of the body, in its frame; else the centre of mass
  Vector3d along = Vector3d::Zero(); // component of a vector; zero: its length
  double since = 0.0;                // [s] displacement, turn, angle, tilt, energy_gain count from then on
};

}  // namespace cornet
