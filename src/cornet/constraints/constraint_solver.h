#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "cornet/body/rigid_body.h"
#include "cornet/constraints/constraint.h"
#include "cornet/constraints/solve_results.h"
#include "cornet/solvers/friction_cone_spec.h"
#include "cornet/solvers/solver.h"

/// Front for callers who bring their own bodies and constraints: assembles and picks a solver.
///
///   solve              J M⁻¹Jᵀ λ = -J M⁻¹F - J̇ v - α C - β Ċ,  forces λ of bilateral rows        (CSOL-1)
///   solveWithContacts  one step of all laws together, impulses λ:
///                      bilateral rows only -> CholeskySolver;  no friction -> ActiveSet;
///                      friction -> the exact solver, or the one the options name                (CSOL-2)
///
/// F holds the external forces and the gyroscopic torque. Every result carries a certificate, and
/// `converged` is what the certificate says. A solve that does not converge returns its best iterate
/// and warns (base/warning.h). Const and re-entrant: a solver may be used by many threads at once.
namespace cornet {

using FrictionSolver = SolverKind;

class ConstraintSolver {
 public:
  using Constraints = std::span<const Constraint* const>;
  using Bodies = std::span<const RigidBody>;

  /// Forces of bilateral constraints. Throws std::invalid_argument naming the constraint or body, the
  /// value and what was expected.
  SolveResult solve(Constraints constraints, Bodies bodies, double time = 0.0) const;

  /// One step of length dt from the velocities in the bodies' states. Throws as `solve`.
  MultiBodySolveResult solveWithContacts(Constraints constraints, Bodies bodies, double dt,
                                         double time = 0.0) const;

  /// The contact problem that `solveWithContacts` solves, to look at or to write to a file.
  ContactProblem assemble(Constraints constraints, Bodies bodies, double dt,
                          double time = 0.0) const;

  /// 0 ≤ λ ⊥ A λ - b ≥ 0.
  ActiveSetResult solveActiveSet(const MatrixXd& A, const VectorXd& b) const;
  /// Contacts with friction, u = A λ - b; see FrictionConeSpec for the rows. Without the library
  /// cornet::ecos the result is not converged and its message says how to get it.
  ActiveSetResult solveWithECOS(const MatrixXd& A, const VectorXd& b, const FrictionConeSpec& spec,
                                int numContacts) const;
  /// Friction coefficients and normal rows of a list of constraints whose rows are stacked. Throws
  /// std::invalid_argument when a friction constraint has no normal just before it, or there are not
  /// `numContacts` of them.
  FrictionConeSpec buildFrictionConeSpec(Constraints constraints, int numContacts) const;

  /// Solver for problems with friction; the others follow from the laws. Throws std::invalid_argument for cholesky, which
  /// knows none.
  void setFrictionSolver(FrictionSolver solver);
  FrictionSolver getFrictionSolver() const { return friction_solver_; }
  /// Relative certificate to reach.
  void setTolerance(double tolerance);
  double getTolerance() const { return tolerance_; }
  /// Pivots or sweeps at most.
  void setMaxIterations(int iterations);
  int getMaxIterations() const { return max_iterations_; }

  /// What stands in for the cone when the friction solver is active_set: a polygon by default.
  void setConeApproximation(ConeApproximation model, int faces = 8);

  /// Coulomb by default; `convex` is the model of one conic program, kept for comparison. Polygons have
  /// a model of their own.
  void setFrictionModel(FrictionModel model) { friction_model_ = model; }
  /// Tolerances of one conic solve inside ECOS: absolute and feasibility, relative.
  void setECOSTolerance(double abs_tol, double rel_tol);
  std::pair<double, double> getECOSTolerance() const;
  void setECOSMaxIterations(int max_iters);
  int getECOSMaxIterations() const { return ecos_.max_iterations; }
  /// For development: std::runtime_error when ECOS fails, instead of a result that is not converged.
  void setThrowOnFailure(bool on) { ecos_.throw_on_failure = on; }

 private:
  SolverOptions makeSolverOptions() const;
  void solveProblem(const ContactProblem& problem, Solution& solution,
                    MultiBodySolveResult& result) const;
  ActiveSetResult solveWithECOS(const DelassusProblem& problem) const;

  FrictionSolver friction_solver_ = FrictionSolver::exact;
  double tolerance_ = 1e-8;
  int max_iterations_ = 1'000'000;
  ConeApproximation cone_approximation_ = ConeApproximation::polygon;
  int faces_ = 8;
  FrictionModel friction_model_ = FrictionModel::coulomb;
  EcosOptions ecos_;
};

}  // namespace cornet
