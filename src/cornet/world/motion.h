#pragma once

#include <functional>
#include <string_view>
#include <variant>
#include <vector>

#include "cornet/body/inertial_state.h"

/// Motion that is prescribed: where a kinematic body is at any time, and how fast it moves. Positions
/// and velocities are exact for each kind, the velocity being the derivative of the position.
namespace cornet {

/// Stays where it is.
struct Rest {};

/// Constant velocity and constant turning about the frame's own origin, from time 0 on.
struct SteadyMotion {
  Vector3d velocity = Vector3d::Zero();  // [m/s]
  Vector3d omega = Vector3d::Zero();     // [rad/s], world axes
};

/// x = x0 + amplitude sin(2π frequency t + phase) - amplitude sin(phase).
struct Oscillation {
  Vector3d amplitude = Vector3d::Zero();  // [m]
  double frequency = 1.0;                 // [Hz]
  double phase = 0.0;                     // [rad]
};

/// Displacements from the start at given times, straight lines between them; before the first and after the
/// last nothing moves. At a knot the velocity is that of the piece behind it.
struct Path {
  std::vector<double> times;           // [s], ascending
  std::vector<Vector3d> displacements; // [m]
};

/// Any other: the state at time t. Must be a function of t alone.
struct FreeMotion {
  std::function<InertialState(double)> state;
};

/// Not known before: its pose is part of the State, and inputs of a step say where it goes, evenly.
struct Guided {};

using Motion = std::variant<Rest, SteadyMotion, Oscillation, Path, FreeMotion, Guided>;

/// Where a frame is t later that keeps the velocity and turning it has.
InertialState moveSteadily(const InertialState& start, double t);

/// The state at time t [s] of a frame that begins at (p, q); of one that is guided that of its beginning.
InertialState calcMotion(const Motion& motion, const Vector3d& p, const Quaterniond& q, double t);

/// Whether it never moves.
bool isAtRest(const Motion& motion);

/// Throws std::invalid_argument beginning with `name` when a number is impossible.
void validate(const Motion& motion, std::string_view name);

}  // namespace cornet
