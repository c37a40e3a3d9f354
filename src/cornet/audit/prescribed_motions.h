#pragma once

#include <vector>

#include "cornet/world/outcomes.h"
#include "cornet/world/world_model.h"

/// How surroundings move over a step, which they do whatever pushes them, and what impulses do on them:
///
///   W = Σ λ·(way)/h + τ·(turn)/h,   of belts across n in place of both                             (AUDIT-5)
namespace cornet {

/// Over one step: mean velocity, turning, and velocity of the surface.
struct PrescribedMotion {
  bool stands = true;
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero(), surface = Vector3d::Zero();
};

class PrescribedMotions {
 public:
  /// The world must outlive it.
  explicit PrescribedMotions(const WorldModel& world);

  /// For a step of length h from here on.
  void place(const BodyStates& before, double h);
  bool allStand() const { return all_stand_; }
  /// Numbers of the world; false for bodies.
  bool isDriven(int body) const { return body >= world_.bodyCount() && !of(body).stands; }
  const PrescribedMotion& of(int body) const { return motions_[static_cast<std::size_t>(body - world_.bodyCount())]; }

  /// Work of an impulse on a body of the surroundings; 0 for bodies that move.
  double calcWorkOn(int body, const Vector3d& linear, const Vector3d& angular) const;
  /// What the impulse of a contact on B would do to something that runs along with the belt of this body, in the plane of the contact.
  double calcBeltWork(int body, const ContactOutcome& contact) const;

 private:
  const WorldModel& world_;
  std::vector<PrescribedMotion> motions_;
  bool all_stand_ = true;
};

}  // namespace cornet
