#pragma once

#include <array>

#include "cornet/sim/island_problem.h"
#include "cornet/sim/kick_record.h"
#include "cornet/sim/kick_solver.h"

/// A kick in three parts, for impacts with restitution among contacts that carry already. Friction and support act as long as
/// forces do, an impact acts at once: in one solve the one would leak into the other, by μ g h.
///
///   before   v_c = v + θh M⁻¹f + M⁻¹Jᵀλ₀           contacts that are no impacts
///   impact   v* = v_c + M⁻¹Jᵀλ₁                    all contacts; impacts want b = -e u_c - (1 + e) a_n (t₁ - θh)
///   rest     v⁺ = v* + (1-θ)h M⁻¹f + M⁻¹Jᵀλ₂       all contacts; what rebounds wants no more than to stay apart
///   λ = λ₀ + λ₁ + λ₂,   w̄ = θ (v + v_c)/2 + (1-θ)(v* + v⁺)/2                                    (STEP-23)
///
/// u_c is the velocity J v_c of the impact in its normal; w̄ stands for that of (STEP-9). Coulomb's law holds in every part,
/// with a certificate of its own; what is reported is the worst of them.
namespace cornet {

class KickParts {
 public:
  /// Whether the kick of an island needs parts: an impact with restitution, and a contact that carries. Islands with constraints do without.
  static bool areNeeded(const StepView& step, const Island& island);

  /// The part before the impact, and its solution; `warm` are impulses for a whole step.
  const Solution& begin(StepView& step, const Island& island, const VectorXd& warm, IslandProblem& problem,
                        KickSolver& solver);
  /// Impact, with restitution times `scale`, and rest. `solution` has the impulses of all parts, the worst certificate
  /// and the effort since the last call; the contacts of the island have b of the last part.
  void strike(StepView& step, const Island& island, double scale, IslandProblem& problem, KickSolver& solver,
              Solution& solution);
  /// What displacements and the next step need of the last part.
  void finish(StepView& step, const Island& island, double scale, const IslandProblem& problem) const;

  const VectorXd& velocityBefore() const { return parts_[kBefore].solution.v; }
  const VectorXd& velocityAfter() const { return parts_[kImpact].solution.v; }
  /// The part with the worst certificate.
  const KickRecord& worst() const { return parts_[worst_]; }

 private:
  enum Part { kBefore, kImpact, kRest };
  void setImpactTargets(StepView& step, const Island& island, double scale, const IslandProblem& problem) const;
  void solve(const StepView& step, Part part, const IslandProblem& problem, KickSolver& solver);
  void sumUp(Solution& solution);

  std::array<KickRecord, 3> parts_;
  Part worst_ = kBefore;
  VectorXd warm_;
};

}  // namespace cornet
