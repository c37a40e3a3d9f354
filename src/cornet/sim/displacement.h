#pragma once

#include "cornet/sim/held_rows.h"
#include "cornet/sim/island_problem.h"
#include "cornet/sim/kick_parts.h"
#include "cornet/sim/penetration_pass.h"

/// Parts 5 and 6 of a step: where the bodies of an island go.
///
///   w₀ = θ v + (1-θ) v⁺ the drifts alone,   w = w₀ + ½(2θ - 1) M⁻¹(h f + Jᵀλ_s)                   (STEP-9)
///
/// λ_s is what contacts that are no impacts did in the last step already: they act all through this one, as forces do.
///
/// Active contacts that do not rebound are then held: normals end closed, J_n w = -g⁺/h; points that stick move
/// as long as they still slipped, J_t w = f_p/2 u⁻_t with
///
///   f_p = clamp(-Σλ_t·u⁻_t / Σ μλ_n|u⁻_t|, 0, 1) of the pair of bodies, 2 t₁/h for an impact;
///
/// slip that reversed ends as it is, J_t w = u⁺_t. Rows may contradict or repeat each other, so
///
///   w <- w + M⁻¹J_Eᵀν,   (W_EE + 10⁻³ diag W_EE) ν = y - J_E w,   five times                     (STEP-10)
///
/// After an impact, whose time is not the middle of the step, rows at the kick pose are no chords of the way. The gaps
/// g(h) at the end pose tell by how much, for contacts that hold and were there before:
///
///   J_n w := J_n w - (g(h) - min(g, 0))/h, tangents as they are, twice                          (STEP-27)
///
/// Then penetration: min ½‖w' - w‖²_M with J_n w' ≥ (g < 0 ? -β g/h : -g/h), compliance 10⁻³ W_nn, without
/// friction.                                                                                   (STEP-11)
/// Lifting what rests puts energy in. Of overlaps g > -0.05 a h² (a: the larger acceleration without contacts) between
/// bodies that come to rest or are at rest, what they were found with is taken back as fast, what steps left only by
/// 2·10⁻⁵ a h² a step:  max(β δ, min(-β g, 2·10⁻⁵ a h²)),  δ := min(δ, -g), less h J_n w          (STEP-28)
///
/// Overlaps of less than 0.5 % of the smaller body's radius are lifted as far as the step has energy for it: by the largest
/// share s of the lift with -h f·(w' - w) ≤ max(0, -dE) + 1/256 of the bound on gains, of each body and of all.  (STEP-32)
///
/// No lift is further than half of what the certificate leaves unexplained, r/2 times its bound; a part of a step in n lifts
/// by β = 1 - (1 - β)^(1/n), and an nth of that at most.                                          (STEP-34)
///
/// Where no more than 10⁻⁵ m is missing, contacts that miss it are held as above, and those that miss it then, a few
/// times. What the kick left open itself, h times the velocity error of its certificate, is not missing.
namespace cornet {

/// Row k of a constraint with the Jacobian J, in the velocities of what moves.
void addConstraintRow(const StepView& step, const StepConstraint& constraint, const MatrixXd& J, Eigen::Index k,
                      double target, HeldRowList& rows);

class Displacement {
 public:
  /// Lifts are no further than `most_lift`, in radii of the smaller body.
  Displacement(double recovery, double most_lift);

  /// w₀ and w for velocities v⁺ after the kick.
  void calc(const StepView& step, const Island& island, const IslandProblem& problem,
            const VectorXd& v_plus);
  /// The same for a kick in parts.                                                             (STEP-23)
  void calcInParts(const StepView& step, const Island& island, const IslandProblem& problem, const KickParts& parts,
                   const VectorXd& v_plus);
  /// Bends w, after an impact, until contacts that hold end where they began.                  (STEP-27)
  void closeGaps(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus);
  /// Where w takes a body.
  InertialState calcEnd(const StepView& step, const Island& island, const VectorXd& v_plus, const StepBody& body) const;
  /// Takes penetration back, this share of it where it is shallow; says whether there was any. Rates that miss by `error`
  /// [m/s] are met.
  bool recover(const StepView& step, const Island& island, const IslandProblem& problem, const VectorXd& v_plus,
               double error, double share = 1.0);
  /// Takes w back to what it was before penetration was.
  void undo(const VectorXd& before) { w_ = before; }

  const VectorXd& start() const { return w0_; }
  const VectorXd& w() const { return w_; }

 private:
  void findResting(const StepView& step, const Island& island, const VectorXd& v_plus);
  bool rests(const StepView& step, int body) const;
  double calcWantedRate(const StepView& step, const Island& island, const StepContact& contact) const;
  double calcMissing(const StepView& step, const Island& island, const StepContact& contact,
                     const IslandProblem& problem, double error) const;
  bool pushMissing(const StepView& step, const Island& island, const IslandProblem& problem, double error);
  void pushAll(const StepView& step, const Island& island, const IslandProblem& problem);
  void addSteadyImpulses(const StepView& step, const Island& island, double factor);
  /// `rest`: the share of the step that is left for slip to end in.
  void collectRows(const StepView& step, const Island& island, const IslandProblem& problem, double rest);
  void addRow(const StepView& step, const StepContact& contact, const Vector3d& direction, double target);
  void addConstraint(const StepView& step, const StepConstraint& constraint);

  double recovery_, most_lift_;
  double share_ = 1.0;         // of shallow overlaps that is taken back
  VectorXd w0_, w_, before_;
  std::vector<bool> pushed_;   // contacts of the island
  std::vector<bool> resting_;  // its bodies
  HeldRowList rows_;
  HeldRows held_rows_;
  std::vector<std::pair<std::uint64_t, int>> pairs_;  // of bodies, and a contact
  std::vector<double> slip_work_, slip_limit_;        // per contact of the island: sums of its pair
  PenetrationPass pass_;
};

}  // namespace cornet
