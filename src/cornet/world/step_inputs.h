#pragma once

#include <optional>
#include <vector>

#include "cornet/math/rotation.h"

/// What a controller gives a step: values that are held over it and forgotten after it. They change nothing in the world, so
/// that many states of one world can be stepped with inputs of their own.
namespace cornet {

/// Force and torque on a body, beside those of the world, in world axes at its centre of mass.
struct BodyInput {
  int body = -1;                       // number of a body that moves
  Vector3d force = Vector3d::Zero();   // [N]
  Vector3d torque = Vector3d::Zero();  // [N m]
};

/// What drives of a joint aim at in this step, instead of what the world says.
struct JointInput {
  int joint = -1;                               // number of a joint of the world
  std::optional<double> target = std::nullopt;  // of its servo [rad] or [m]
  std::optional<double> rate = std::nullopt;    // of its servo [rad/s] or [m/s]
  std::optional<double> speed = std::nullopt;   // of its motor [rad/s] or [m/s]
  std::optional<double> effort = std::nullopt;  // of its given effort [N m] or [N]
};

/// What an actuator of a tree is asked for in this step, instead of what the world says.
struct ControlInput {
  int tree = -1;       // number of a tree of the world,
  int actuator = -1;   //   and of an actuator of it: WorldModel::findActuator() has both by name
  double value = 0.0;  // beyond the range of the control: the nearest one in it
};

/// Where surroundings that are guided are at the end of the step; they go there evenly. Others of these stay where they are.
struct GuideInput {
  int body = -1;  // number of surroundings
  Vector3d position = Vector3d::Zero();
  Quaterniond orientation = Quaterniond::Identity();
};

struct StepInputs {
  std::vector<BodyInput> bodies;
  std::vector<JointInput> joints;
  std::vector<ControlInput> controls = {};
  std::vector<GuideInput> guides = {};
  VectorXd user_rate = {};  // of State::user: as many as there are, or none

  /// No forces, no targets, no controls, nothing guided, rates 0; for a state with so many of users' own.
  void clear(Eigen::Index user_count) {
    bodies.clear();
    joints.clear();
    controls.clear();
    guides.clear();
    user_rate.setZero(user_count);
  }
};

}  // namespace cornet
