#pragma once

#include "cornet/sim/held_rows.h"
#include "cornet/sim/kick_parts.h"
#include "cornet/sim/lifts.h"
#include "cornet/sim/penetration_pass.h"
#include "cornet/sim/place_rows.h"
#include "cornet/sim/slip_ends.h"

/// Parts 5 and 6 of a step: where the bodies of an island go. Drifts and forces would take them by h w̄,
///
///   w₀ = θ v + (1-θ) v⁺ the drifts alone,   w̄ = w₀ + ½(2θ - 1) M⁻¹(h f + Jᵀλ_s)                  (STEP-9)
///
/// λ_s is what contacts that are no impacts did in the last step already, at most as large as their λ now, and λ of drives: they act all
/// through this step, as forces do; none where that would throw a body. Contacts,
/// joints and limits bend that, by the one problem of positions
///
///   min ½‖w - w̄‖²_M   J_n w = -g⁺/h of contacts that hold,   J_t w = (PLACE-3) of those whose slip ends,
///                     J w = J w₀ of joints,   J w = w_t - C/h of limits that carry, of broken ones with β C, plus their rebound,
///                     J w ≥ w_t - β C/h of other broken limits,   J_n w ≥ ℓ/h of contacts                    (PLACE-1)
///
/// all softened by (PLACE-2), w_t the rate of the limit. It is solved with rows of the kick pose, first without lifts ℓ (PLACE-4): the
/// energy of the kick is judged with that. Where contacts then overlap or come to, all normals have their ℓ, what else holds stays.
///
/// Rows of the kick pose are chords of the way to third order, after an impact to second. Joints, limits and impacts therefore
/// have the same problem at the end pose, for the motion d that is still missing,
///
///   J d = -C of joints,   J d ≥ (1 - β) min(C⁻, 0) - C of limits,   J_t d = 0 of contacts that stick,
///   J_n d = g' - g(h) of contacts that hold,   J_n d ≥ min(0, g') - g(h) of others,
///   g' = g + h J_n w of contacts that hold and are no impacts, of all others g(h) before anything moves     (PLACE-5)
///
/// linearised there again and again until the largest miss, over the softness of its row, is rounding or no longer falls.
/// Momenta stay as they are; what contradicts itself moves nothing. No solution of either problem throws bodies: where it would take
/// one further than its velocities reach, or than ten times what rows miss, joints are met first (PLACE-7).
namespace cornet {

class Places {
 public:
  explicit Places(const SimulatorOptions& options);

  /// w₀, w̄ and w for velocities v⁺ after the kick, with what holds.
  void hold(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus);
  /// The same for a kick in parts.                                                             (STEP-23)
  void holdInParts(const StepView& step, const Island& island, const IslandProblem& problem, const KickParts& parts,
                   const VectorXd& v_plus);

  /// Whether contacts are missed by w. Rates that miss by `error` [m/s], which the kick itself left open, are met.
  bool areMissed(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus, double error);
  /// The whole problem, where the step loses this much energy without it. Returns the largest way of a point of a body [m].
  double lift(const StepView& step, const Island& island, const IslandProblem& problem, std::span<const double> losses);

  /// Moves the bodies of an island to the end of the step, where w takes them.
  void finishDrifts(const StepView& step, const Island& island, const VectorXd& v_plus) const;
  /// Closes there what is open. M is that of the kick. Returns the largest way of a point of a body [m].
  double close(const StepView& step, const Island& island, const IslandProblem& problem);

  const VectorXd& w() const { return w_; }

 private:
  /// Whether its row is met as an equality.
  static bool holds(const StepContact& contact);
  void addSteadyImpulses(const StepView& step, const Island& island, double factor);
  void collectHeld(const StepView& step, const Island& island, const IslandProblem& problem, double rest);
  void addSlip(const StepView& step, const StepContact& contact, const ContactPlace& place, const Matrix3d& axes, PlacePose pose,
               const Vector3d& way);
  void addConstraint(const StepView& step, const StepConstraint& constraint);
  void liftBy(const StepView& step, const Island& island, const IslandProblem& problem, double share);
  double collectMisses(const StepView& step, const Island& island, const IslandProblem& problem);
  double addContactAtEnd(const StepView& step, const IslandProblem& problem, const Island& island, std::size_t k);
  double addConstraintAtEnd(const StepView& step, StepConstraint& constraint);
  void moveBodies(const StepView& step, const Island& island) const;
  double calcLargestMiss(const VectorXd& w) const;
  bool solve(const StepView& step, const Island& island, const BlockDiagonalMatrix& M, double nothing, double reach, VectorXd& w);
  void findReach(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus);

  double recovery_;
  VectorXd w0_, w_;
  static constexpr double kFurther = 10.0;  // than rows ask for: how far bodies may go for them

  double reach_ = 0.0;    // [m/s] no more bends a way
  double rest_ = 1.0;     // share of the step that is left for slip to end in
  double missed_ = 0.0;   // [m/s] what misses by less is met
  SlipEnds slips_;
  Lifts lifts_;
  HeldRowList rows_;
  HeldRows held_rows_;
  PenetrationPass pass_;
  VectorXd before_, start_, change_, move_, way_;
  std::vector<std::optional<double>> aims_;  // gaps at the end, of the island's contacts
  std::vector<InertialState> left_;
};

}  // namespace cornet
