#pragma once

#include "cornet/sim/island.h"

/// Contacts of a step at other poses than that of its start.
namespace cornet {

/// The same features where the bodies are now.
struct ContactAt {
  double gap = 0.0;
  Vector3d normal = Vector3d::UnitZ();
  Vector3d arm_a = Vector3d::Zero(), arm_b = Vector3d::Zero();
  Vector3d u = Vector3d::Zero();  // velocity of B's surface relative to A's, belts included
};

/// `now` of what moves; surroundings where their motion has brought them t after the start of the step, with the velocity they
/// have at `t_velocity`.
InertialState calcStateAt(const StepView& step, int body, double t, double t_velocity);

/// What was found only where bodies meet has no features: its points move along with the bodies, its normal stays.
ContactAt calcContactAt(const StepView& step, const StepContact& contact, double t, double t_velocity);

}  // namespace cornet
