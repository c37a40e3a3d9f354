#pragma once

#include "cornet/sim/held_rows.h"
#include "cornet/sim/island_problem.h"
#include "cornet/solvers/exact.h"

/// Parts 5 and 6 of a step: where the bodies of an island go.
///
///   w₀ = θ v + (1-θ) v⁺ + ½(2θ - 1) M⁻¹(h f + Jᵀλ_s)                                             (STEP-9)
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
/// Then penetration: min ½‖w' - w‖²_M with J_n w' ≥ (g < 0 ? -β g/h : -g/h), compliance 10⁻³ W_nn, without
/// friction.                                                                                   (STEP-11)
namespace cornet {

/// Row k of a constraint with the Jacobian J, in the velocities of what moves.
void addConstraintRow(const StepView& step, const StepConstraint& constraint, const MatrixXd& J, Eigen::Index k,
                      double target, std::vector<HeldRow>& rows);

class Displacement {
 public:
  Displacement(double recovery, double margin);

  /// w₀ and w for velocities v⁺ after the kick.
  void calc(const StepView& step, const Island& island, const IslandProblem& problem,
            const VectorXd& v_plus);
  /// Takes penetration back; says whether there was any.
  bool recover(const StepView& step, const Island& island, const IslandProblem& problem);

  const VectorXd& start() const { return w0_; }
  const VectorXd& w() const { return w_; }

 private:
  void addSteadyImpulses(const StepView& step, const Island& island, double factor);
  void collectRows(const StepView& step, const Island& island, const IslandProblem& problem);
  void addRow(const StepView& step, const StepContact& contact, const Vector3d& direction, double target);
  void addConstraint(const StepView& step, const StepConstraint& constraint);

  double recovery_;
  double margin_;  // [m] overlaps below may wait
  VectorXd w0_, w_;
  std::vector<HeldRow> rows_;
  HeldRows held_rows_;
  std::vector<std::pair<std::uint64_t, int>> pairs_;  // of bodies, and a contact
  std::vector<double> slip_work_, slip_limit_;        // per contact of the island: sums of its pair
  // The pass.
  ContactProblem pass_;
  Solution pass_solution_;
  ExactSolver solver_;
};

}  // namespace cornet
