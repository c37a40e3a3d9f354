#include "cornet/sim/drift.h"

namespace cornet {

InertialState moveFreely(const StepBody& body, double t) {
  InertialState state = body.start;
  if (body.moves()) {
    state.position += t * state.velocity + 0.5 * t * t * body.acceleration();
    body.asset->inertia().turnFreely(t, state.orientation, state.omega);
  } else {
    state.position += t * (body.displacement - body.surface);
    if (!body.turning.isZero(0.0)) {
      state.orientation = (expMap(t * body.turning) * state.orientation).normalized();
    }
  }
  return state;
}

InertialState calcKickState(const StepBody& body, double t) {
  return body.moves() ? body.now : moveFreely(body, t);
}

InertialState calcEndState(const StepBody& body, double h) { return calcKickState(body, h); }

void drift(StepBody& body, double t) {
  body.now.position += t * body.now.velocity;
  body.asset->inertia().turnFreely(t, body.now.orientation, body.now.omega);
}

void finishDrift(double h, double theta, const Vector3d& v_plus, const Vector3d& omega_plus,
                 const Vector3d& w, const Vector3d& turn_correction, StepBody& body) {
  const PrincipalInertia& inertia = body.asset->inertia();
  InertialState& now = body.now;
  now.position = body.start.position + h * w;
  now.velocity = v_plus;
  now.omega = omega_plus;
  const bool corrected = !turn_correction.isZero(0.0);
  const Vector3d L = inertia.calcMomentum(now.orientation, omega_plus);
  inertia.turnFreely((1.0 - theta) * h, now.orientation, now.omega);
  if (!corrected) return;
  now.orientation = (expMap(turn_correction) * now.orientation).normalized();
  now.omega = inertia.calcOmega(now.orientation, L);
}

}  // namespace cornet
