#pragma once

#include <memory>
#include <vector>

#include "cornet/constraints/assembly.h"
#include "cornet/sim/drive_rows.h"
#include "cornet/sim/island.h"
#include "cornet/sim/options.h"

/// The contact problem of one island at its kick pose.
namespace cornet {

/// Puts island bodies into problems: block k of M is body k of the island.
class IslandProblem {
 public:
  /// Bodies at the kick pose: M, v before the kick, v_f = v + h M⁻¹f. Surroundings have the velocity
  /// of the end of the step; what their belts add is bias of the contacts.
  void reset(const WorldModel& world, const StepView& step, const Island& island);

  /// The kick's problem: rows at the kick pose with bias κ - b e_n, contacts first, then constraints.  (STEP-8)
  void assembleKick(const StepView& step, const Island& island);
  /// Sets b of all contacts, those of impacts times `scale`.
  void setWanted(StepView& step, const Island& island, double scale);
  /// Gives all contacts and limits the κ that a change Δv of the velocities would be, J Δv; none for Δv = 0.   (STEP-35)
  void setTurning(StepView& step, const Island& island, const VectorXd& change);
  /// A part of the kick: from velocities v, with forces over `duration`, b of the contacts as they are; at its end
  /// the rows have turned, or not yet.                                                         (STEP-23)
  void setPart(const StepView& step, const Island& island, const VectorXd& v, double duration, bool turned);

  const ContactProblem& problem() const { return problem_; }
  ContactProblem& problem() { return problem_; }
  const ConstraintRows& rows() const { return problem_.rows; }
  const VectorXd& velocity() const { return v_; }
  /// With which bodies drifted to the kick: the same but where joints act there.
  const VectorXd& driftVelocity() const { return v_drift_; }
  /// M⁻¹f.
  const VectorXd& acceleration() const { return acceleration_; }
  /// Axes (n, t1, t2) of contact k of the island.
  const Matrix3d& axes(int k) const { return axes_[k]; }
  double calcKinetic(const VectorXd& v) const;
  /// Impulse of contact k of the island, from the impulses of all rows, in world axes.
  Vector3d calcImpulse(int k, const VectorXd& lambda) const;

  /// Velocity of B's point relative to A's at the kick, for velocities v of the island's bodies.
  Vector3d calcRate(const StepView& step, const StepContact& contact, const VectorXd& v) const;

  /// Velocity of B's point relative to A's for velocities w of the island's bodies; surroundings move
  /// with their mean velocity over the step.
  Vector3d calcDisplacementRate(const StepView& step, const StepContact& contact,
                                const VectorXd& w) const;

 private:
  int placeOf(const WorldModel& world, const StepView& step, int body);
  void addConstraint(const StepView& step, StepConstraint& constraint);
  void dropRounding();

  ContactProblem problem_;
  Assembler assembler_;
  DriveRows drives_;
  std::vector<BodyInProblem> bodies_;
  std::vector<std::pair<int, int>> surroundings_;  // number, place
  VectorXd rates_;
  std::vector<ContactPoint> points_;
  std::vector<int> places_;  // of the bodies of a constraint
  std::vector<Matrix3d> axes_;
  VectorXd v_, v_drift_, acceleration_, base_bias_;
  std::vector<std::pair<int, Matrix3d>> taut_;  // blocks of M with a stiffness in them, which is no inertia
  const WorldModel* world_ = nullptr;
  double kick_time_ = 0.0;
};

}  // namespace cornet
