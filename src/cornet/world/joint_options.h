#pragma once

#include <limits>
#include <optional>
#include <string>

#include "cornet/math/types.h"

/// What joints of a world are made of. Anchors and axes are world points and directions at the start; positions count from the
/// start, along or about the axis, of B relative to A: angles in rad, slides in m, efforts in N m or N. What is left out is
/// not there.
///
///   world.addHinge(post, door, {.name = "door",
///                               .anchor = {0, 0, 1},
///                               .axis = {0, 0, 1},
///                               .limits = {.lower = 0.0, .upper = 1.5, .restitution = 0.3},
///                               .spring = {.stiffness = 2.0},
///                               .damping = 0.5});
namespace cornet {

/// Stops. Of a hinge between -π and π.
struct JointLimitOptions {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0.0;  // from 0 to 1
};

/// Holds a speed as far as its effort allows; with speed 0 a brake.
struct JointMotorOptions {
  double speed = 0.0;       // [rad/s] or [m/s]
  double max_effort = 0.0;  // [N m] or [N]; infinite for a motor that nothing holds back
};

/// F = -kp (x - target) - kd (u - rate), at most max_effort.
struct JointServoOptions {
  double kp = 0.0;  // [N m/rad] or [N/m]
  double kd = 0.0;  // [N m s/rad] or [N s/m]
  double target = 0.0;
  double rate = 0.0;
  double max_effort = std::numeric_limits<double>::infinity();
};

struct JointSpringOptions {
  double stiffness = 0.0;  // [N m/rad] or [N/m]
  double rest = 0.0;       // where it pulls to
};

/// Of a hinge or a slider.
struct AxisJointOptions {
  std::string name = {};  // "hinge a-b" when left out
  Vector3d anchor = Vector3d::Zero();
  Vector3d axis = Vector3d::UnitZ();
  JointLimitOptions limits = {};
  JointMotorOptions motor = {};
  JointServoOptions servo = {};
  JointSpringOptions spring = {};
  std::optional<double> effort = std::nullopt;  // a given one, by setEffort() or StepInputs another [N m] or [N]
  double damping = 0.0;   // [N m s/rad] or [N s/m]
  double friction = 0.0;  // dry, of the joint itself [N m] or [N]
  bool collide = true;    // whether its two bodies may touch each other
};
using HingeOptions = AxisJointOptions;
using SliderOptions = AxisJointOptions;

/// Of a ball joint or a fixed one.
struct PointJointOptions {
  std::string name = {};
  Vector3d anchor = Vector3d::Zero();
  bool collide = true;
};
using BallOptions = PointJointOptions;
using FixedOptions = PointJointOptions;

/// One axis on each body, at right angles: a cardan joint.
struct UniversalOptions {
  std::string name = {};
  Vector3d anchor = Vector3d::Zero();
  Vector3d axis_a = Vector3d::UnitX();
  Vector3d axis_b = Vector3d::UnitY();
  bool collide = true;
};

/// A rod between two points.
struct DistanceOptions {
  std::string name = {};
  std::optional<Vector3d> anchor_a = std::nullopt;  // the centres of mass when left out
  std::optional<Vector3d> anchor_b = std::nullopt;
  double length = 0.0;  // [m]; 0: what it is at the start
  bool collide = true;
};

/// A hinge or slider that a coupling takes part of, by its number.
struct CoupledJoint {
  int joint = -1;
  double ratio = 1.0;  // of its position; those of hinges in proportion to whole numbers, as numbers of teeth are
};

/// Σ ratio · position = offset.
struct CouplingOptions {
  std::string name = {};  // "coupling a-b" when left out
  double offset = 0.0;    // positions are 0 at the start: another offset than 0 is one to get to
};

}  // namespace cornet
