#include "cornet/sim/drift.h"

namespace cornet {

InertialState moveFreely(const StepBody& body, double t) {
  InertialState state = body.start;
  if (body.moves()) {
    state.position += t * state.velocity + 0.5 * t * t * body.acceleration();
    body.asset->inertia().turnFreely(t, state.orientation, state.omega);
  } else {
    state.position += t * body.displacement;
    if (!body.turning.isZero(0.0)) {
      state.orientation = (expMap(t * body.turning) * state.orientation).normalized();
    }
  }
  return state;
}

InertialState calcKickState(const StepBody& body, double t) {
  return body.moves() ? body.now : moveFreely(body, t);
}

InertialState calcJointKickState(const StepBody& body, double t) {
  if (body.moves()) return body.now;
  InertialState state = body.start;
  state.position += t * state.velocity;
  if (!state.omega.isZero(0.0)) state.orientation = (expMap(t * state.omega) * state.orientation).normalized();
  return state;
}

InertialState calcEndState(const StepBody& body, double h) { return calcKickState(body, h); }

void drift(StepBody& body, double t) {
  body.now.position += t * body.now.velocity;
  const PrincipalInertia& inertia = body.asset->inertia();
  inertia.turnFreely(t, body.now.orientation, body.now.omega);
  body.inverse_inertia = inertia.calcInverse(body.now.orientation);
}

InertialState finishDrift(double h, double theta, const Vector3d& v_plus, const Vector3d& omega_plus,
                          const Vector3d& w, const Vector3d& turn_correction, const StepBody& body) {
  const PrincipalInertia& inertia = body.asset->inertia();
  InertialState end = body.now;
  end.position = body.start.position + h * w;
  end.velocity = v_plus;
  end.omega = omega_plus;
  const Vector3d L = inertia.calcMomentum(end.orientation, omega_plus);
  inertia.turnFreely((1.0 - theta) * h, end.orientation, end.omega);
  if (turn_correction.isZero(0.0)) return end;
  end.orientation = (expMap(turn_correction) * end.orientation).normalized();
  end.omega = inertia.calcOmega(end.orientation, L);
  return end;
}

}  // namespace cornet
