#pragma once

#include "cornet/body/inertial_state.h"
#include "cornet/body/free_rotation.h"

/// How a body moved beyond what its velocities before and after explain.                          (AUDIT-3)
namespace cornet {

/// |Δx - h(v⁻ + v⁺)/2| - h|v⁺ - v⁻|/2 - h²|f|/2m [m]; 0 inside the ball.
double calcUnexplainedWay(const InertialState& before, const InertialState& after, double h, const Vector3d& force, double mass);

/// The same of rotations, between turning freely with the state before and with that after [rad]. `unequal` is the largest
/// principal moment over the smallest, less one. Links of trees never turn freely: no inertia.
double calcUnexplainedTurn(const InertialState& before, const InertialState& after, double h, const PrincipalInertia* inertia, double unequal);

}  // namespace cornet
