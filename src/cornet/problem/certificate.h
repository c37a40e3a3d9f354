#pragma once

#include <vector>

#include "cornet/math/block_cholesky.h"
#include "cornet/math/islands.h"
#include "cornet/problem/contact_problem.h"
#include "cornet/problem/delassus_problem.h"

/// The certificate: how far impulses are from satisfying their laws, computed from the impulses
/// alone with the projections of `math`, never from a solver's own residual.
///
/// Velocities follow from λ exactly (v = v_free + M⁻¹Jᵀλ), so the law is the only thing that can be
/// violated. Per block i, with P_i the projection onto the admissible impulses of its law,
///
///   R_i = λ_i - P_i(λ_i - ρ_i û_i),   û = u + μ‖u_t‖e_n for a cone, u otherwise               (CERT-1)
///   and for a Coulomb cone, if larger, R_i = λ_i - C_μ(λ_i - ρ_i u_i): with large μ the first one
///   sees a contact that slides and sinks at once only through 1/μ                            (CERT-7)
///   ρ_i = 1/mean diag (J M⁻¹Jᵀ + R)_ii   effective mass [kg]                                  (CERT-2)
///   error_i = ‖R_i‖/ρ_i [m/s],   relative_i = error_i / v_ref(island of i)                    (CERT-3)
///   v_ref = max ‖q_j‖ over blocks of the island that close or carry impulse, q = J v_free + b; one
///   that carries without closing counts with min(‖q_j‖, ‖λ_j‖/ρ_j)
///
/// Rotational rows count with their lever, so that all errors are m/s. If all those q vanish while
/// impulses do not, v_ref = max ‖u_j‖; an island where nothing happens has error 0.
///
/// Beside it the measure the field publishes, ‖λ - P(λ - û)‖ / max(‖q‖, ‖λ‖, ‖u‖), as the data
/// are, and with u and q divided by d = mean diag W; the first depends on units.              (CERT-4)
///
/// Energy: Σ λ_t·u_t ≤ 0, Σ λ_n u_n = 0 for a Coulomb solution, and the change of kinetic energy
/// ΔT = ½ λ·(u + q) - λ·b - ½ λ·Rλ.                                                           (CERT-5)
namespace cornet {

struct BlockResidual {
  double relative = 0.0;
  double velocity = 0.0;   // [m/s]
  double impulse = 0.0;    // [N s]
  double reference = 0.0;  // v_ref of the island [m/s]

  /// At the rounding floor of its island, velocity ≤ 1e-13 max(1, v_ref) m/s.
  bool atFloor() const;
};

struct EnergyTerms {
  double normal_work = 0.0;      // Σ λ_n u_n over cones and unilateral rows [J]
  double tangential_work = 0.0;  // Σ λ_t·u_t over cones [J]
  double constraint_work = 0.0;  // Σ λ·u over equality and box rows [J]
  double kinetic_change = 0.0;   // [J]
};

struct Certificate {
  double relative = 0.0;
  double absolute_velocity = 0.0;   // largest error_i [m/s]
  double absolute_impulse = 0.0;    // largest ‖R_i‖ [N s]
  int worst_block = -1;             // block of the largest relative error
  double field_raw = 0.0;
  double field_equilibrated = 0.0;
  double cone_violation = 0.0;      // largest distance of λ_i from its admissible set [N s]
  double max_speed = 0.0;           // largest ‖u_i‖ or ‖q_i‖ [m/s]
  EnergyTerms energy;
  std::vector<BlockResidual> blocks;

  /// Every block within the relative tolerance, or at the rounding floor of its island,
  /// error_i ≤ 1e-13 max(1, v_ref) m/s.                                                       (CERT-6)
  bool solved(double tolerance) const;
  /// The largest relative error of blocks above the rounding floor; 0 when there is none.
  double relativeAboveFloor() const;
};

/// Computes certificates of one problem, keeping what does not depend on λ. The problem must
/// outlive the certifier. Throws std::invalid_argument if M is not positive definite.
class Certifier {
 public:
  Certifier() = default;
  explicit Certifier(const ContactProblem& problem,
                     FrictionModel model = FrictionModel::coulomb);
  explicit Certifier(const DelassusProblem& problem,
                     FrictionModel model = FrictionModel::coulomb);

  /// Turns to another problem; memory is kept.
  void reset(const ContactProblem& problem, FrictionModel model);
  void reset(const DelassusProblem& problem, FrictionModel model);

  /// Scores impulses, one per row. Impulses that are not finite get infinite errors.
  void certify(const VectorXd& lambda, Certificate& certificate);
  /// The same without raw field measure, cone violation and energies, for solvers that look often.
  void measure(const VectorXd& lambda, Certificate& certificate);

  /// Adds what `measure`, called last and with the same impulses, leaves out.
  void complete(const VectorXd& lambda, Certificate& certificate) const;

  /// Velocities and relative velocities alone.
  void calcVelocities(const VectorXd& lambda);

  /// Velocities and relative velocities of the last call.
  const VectorXd& v() const { return v_; }
  const VectorXd& u() const { return u_; }
  /// Free relative velocity q, effective masses per block, and island of each block.
  const VectorXd& q() const { return q_; }
  const std::vector<double>& effectiveMass() const { return rho_; }
  const std::vector<int>& island() const { return islands_.ofRow(); }
  int islandCount() const { return islands_.count(); }

 private:
  void setScale();
  void calcResiduals(const VectorXd& lambda, Certificate& certificate);
  void calcReferences(const VectorXd& lambda, Certificate& certificate);
  void calcConeViolation(const VectorXd& lambda, Certificate& certificate) const;
  double calcFieldMeasure(const VectorXd& lambda, double d) const;
  template <class Block>
  void addReference(int i, const VectorXd& lambda, Certificate& certificate);
  template <class Block>
  void addResidual(int i, const VectorXd& lambda, Certificate& certificate) const;
  template <class Block>
  double fieldTerm(int i, const VectorXd& lambda, double d) const;
  void calcEnergy(const VectorXd& lambda, Certificate& certificate) const;

  const ContactProblem* velocity_form_ = nullptr;  // exactly one of the two is set
  const DelassusProblem* delassus_form_ = nullptr;
  const ConstraintRows* rows_ = nullptr;
  const VectorXd* bias_ = nullptr;
  FrictionModel model_ = FrictionModel::coulomb;
  BlockCholesky mass_;
  VectorXd q_;
  std::vector<double> rho_;
  Islands islands_;
  double mean_diagonal_ = 1.0;  // d of (CERT-4)
  VectorXd v_, u_, diagonal_;
  std::vector<double> buffer_;
  std::vector<double> reference_, fallback_;  // per island
};

/// Score of impulses that come from anywhere.
Certificate certify(const ContactProblem& problem, const VectorXd& lambda,
                    FrictionModel model = FrictionModel::coulomb);
Certificate certify(const DelassusProblem& problem, const VectorXd& lambda,
                    FrictionModel model = FrictionModel::coulomb);

}  // namespace cornet
