#include "cornet/io/scene/probe.h"

#include <algorithm>
#include <array>

namespace cornet {
namespace {

using enum Quantity;

constexpr std::array kQuantities = {
    QuantityInfo{position, "position", "m", true, QuantityOf::body, false},
    QuantityInfo{displacement, "displacement", "m", true, QuantityOf::body, false},
    QuantityInfo{velocity, "velocity", "m/s", true, QuantityOf::body, false},
    QuantityInfo{omega, "omega", "rad/s", true, QuantityOf::body, false},
    QuantityInfo{turn, "turn", "rad", true, QuantityOf::body, false},
    QuantityInfo{angular_momentum, "angular_momentum", "kg m²/s", true, QuantityOf::body, false},
    QuantityInfo{contact_force, "contact_force", "N", true, QuantityOf::body, true},
    QuantityInfo{angle, "angle", "rad", false, QuantityOf::body, false},
    QuantityInfo{tilt, "tilt", "rad", false, QuantityOf::body, false},
    QuantityInfo{normal_force, "normal_force", "N", false, QuantityOf::body, true},
    QuantityInfo{friction_force, "friction_force", "N", false, QuantityOf::body, true},
    QuantityInfo{friction_ratio, "friction_ratio", "", false, QuantityOf::body, true},
    QuantityInfo{slip, "slip", "m/s", false, QuantityOf::body, true},
    QuantityInfo{joint_force, "joint_force", "N", true, QuantityOf::joint, true},
    QuantityInfo{joint_torque, "joint_torque", "N m", true, QuantityOf::joint, true},
    QuantityInfo{joint_position, "joint_position", "rad or m", false, QuantityOf::joint, false},
    QuantityInfo{joint_rate, "joint_rate", "rad/s or m/s", false, QuantityOf::joint, false},
    QuantityInfo{joint_error, "joint_error", "m", false, QuantityOf::joint, true},
    QuantityInfo{motor_effort, "motor_effort", "N m or N", false, QuantityOf::joint, true},
    QuantityInfo{motor_power, "motor_power", "W", false, QuantityOf::joint, true},
    QuantityInfo{actuator_force, "actuator_force", "N m or N", false, QuantityOf::actuator, true},
    QuantityInfo{actuator_control, "actuator_control", "", false, QuantityOf::actuator, true},
    QuantityInfo{activation, "activation", "", false, QuantityOf::actuator, false},
    QuantityInfo{kinetic, "kinetic", "J", false, QuantityOf::world, false},
    QuantityInfo{potential, "potential", "J", false, QuantityOf::world, false},
    QuantityInfo{energy, "energy", "J", false, QuantityOf::world, false},
    QuantityInfo{work, "work", "J", false, QuantityOf::world, false},
    QuantityInfo{dissipated, "dissipated", "J", false, QuantityOf::world, false},
    QuantityInfo{energy_gain, "energy_gain", "J", false, QuantityOf::world, false},
    QuantityInfo{penetration, "penetration", "m", false, QuantityOf::world, true},
    QuantityInfo{certificate, "certificate", "", false, QuantityOf::world, true},
    QuantityInfo{contacts, "contacts", "", false, QuantityOf::world, true},
    QuantityInfo{sticking, "sticking", "", false, QuantityOf::world, true},
    QuantityInfo{impacts, "impacts", "", false, QuantityOf::world, true},
    QuantityInfo{unsolved, "unsolved", "", false, QuantityOf::world, false},
    QuantityInfo{inaccurate, "inaccurate", "", false, QuantityOf::world, false}};

}  // namespace

std::span<const QuantityInfo> allQuantities() { return kQuantities; }

const QuantityInfo& infoOf(Quantity quantity) {
  return *std::ranges::find(kQuantities, quantity, &QuantityInfo::quantity);
}

}  // namespace cornet
