#pragma once

#include "cornet/sim/step_data.h"

/// Free motion: x + t v, rotation at constant angular momentum (BODY-4).                       (STEP-5)
namespace cornet {

/// Where a body would be after t without contacts: x + t v + ½ t² f/m; surroundings follow their mean motion.
InertialState moveFreely(const StepBody& body, double t);

/// Of the step: kicks before that leave no time to see how rows turn.
constexpr double kShortDrift = 0.1;

/// State of a body at the kick, t after the start: where it drifted to, or where its motion has brought it.
InertialState calcKickState(const StepBody& body, double t);

/// The same for joints: surroundings drift too, with the velocity that they have at the start, and change it at the kick like the bodies
/// that hang on them.
InertialState calcJointKickState(const StepBody& body, double t);

/// State of a body once its island is done, at the end of a step of h.
InertialState calcEndState(const StepBody& body, double h);

/// Drifts a body from its present state by t, velocity unchanged.
void drift(StepBody& body, double t);

/// The end of the step for a body that has drifted to the kick: position by h w - θ h v, velocity v⁺, orientation by
/// the rest of the drift and the correction h (w - w₀), which leaves the angular momentum as it is.  (STEP-12)
InertialState finishDrift(double h, double theta, const Vector3d& v_plus, const Vector3d& omega_plus,
                          const Vector3d& w, const Vector3d& turn_correction, const StepBody& body);

}  // namespace cornet
