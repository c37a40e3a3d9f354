#include "cornet/audit/prescribed_motions.h"

#include "cornet/math/rotation.h"

namespace cornet {

PrescribedMotions::PrescribedMotions(const WorldModel& world) : world_(world) {
  motions_.resize(static_cast<std::size_t>(world.environmentCount()));
  for (int k = 0; k < world.environmentCount(); ++k) {
    const AssetEnvironment& asset = world.environment(k);
    motions_[k].stands = isAtRest(asset.motion()) && asset.surfaceVelocity().isZero(0.0);
    all_stand_ &= motions_[k].stands;
  }
}

void PrescribedMotions::place(const BodyStates& before, double h) {
  if (all_stand_) return;
  for (int k = 0; k < world_.environmentCount(); ++k) {
    PrescribedMotion& motion = motions_[k];
    if (motion.stands) continue;
    const AssetEnvironment& asset = world_.environment(k);
    const InertialState begin = world_.calcSurroundings(k, before, before.time);
    motion.surface = begin.orientation * asset.surfaceVelocity();
    if (isAtRest(asset.motion())) continue;
    const InertialState end = world_.calcSurroundings(k, before, before.time + h);
    motion.linear = (end.position - begin.position) / h;
    motion.angular = logMap(end.orientation * begin.orientation.conjugate()) / h;
    motion.surface = 0.5 * (motion.surface + end.orientation * asset.surfaceVelocity());
  }
}

double PrescribedMotions::calcWorkOn(int body, const Vector3d& linear, const Vector3d& angular) const {
  if (!isDriven(body)) return 0.0;
  return linear.dot(of(body).linear) + angular.dot(of(body).angular);
}

double PrescribedMotions::calcBeltWork(int body, const ContactOutcome& contact) const {
  return isDriven(body) ? contact.tangentImpulse().dot(of(body).surface) : 0.0;
}

}  // namespace cornet
