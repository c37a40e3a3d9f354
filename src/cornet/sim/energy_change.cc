#include "cornet/sim/energy_change.h"

#include <algorithm>

#include "cornet/math/rotation.h"

namespace cornet {
namespace {

double calcKinetic(const AssetInertial& asset, const InertialState& state) {
  return 0.5 * asset.mass().mass * state.velocity.squaredNorm() +
         0.5 * state.omega.dot(asset.inertia().calcMomentum(state.orientation, state.omega));
}

}  // namespace

bool anyTurns(const StepView& step, const Island& island) {
  constexpr double kTurns = 1e-12;  // what is more than rounding
  return std::ranges::any_of(island.contacts, [&](int index) {
    const StepContact& contact = step.contacts[index];
    return contact.carries() && !(contact.kick_normal - contact.normal).isZero(kTurns);
  });
}

EnergyChange calcEnergyChange(const StepView& step, const Island& island) {
  EnergyChange change;
  change.gain = -island.report.work_in;
  for (const int i : island.bodies) {
    const StepBody& body = step.bodies[i];
    const double before = calcKinetic(*body.asset, body.start);
    change.kinetic += before;
    change.gain += calcKinetic(*body.asset, body.now) - before;
    change.gain -= body.force.force.dot(body.now.position - body.start.position);
    if (body.force.torque.isZero(0.0)) continue;
    const Vector3d turn = logMap(body.now.orientation * body.start.orientation.conjugate());
    change.gain -= body.force.torque.dot(turn);
  }
  return change;
}

}  // namespace cornet
