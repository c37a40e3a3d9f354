#pragma once

#include <functional>
#include <span>

#include "cornet/world/world_model.h"

/// Forces of users and controllers, functions of the whole state, taken implicitly as far as a diagonal goes:
///
///   x̃ = (q0 ⊕ h v0, v0),   K_i = max(0, -dτ_i/dv_i) at x̃, places moving along with h dv_i               (ICF-28)
///   τ_i = τ_i(x̃) - K_i (v_i - v0_i) where K_i > 0,   τ_i(x0) elsewhere
///
/// K ≥ 0 stands in A = M + h K, so the problem stays convex, and a stiff law of control stays stable at any step. Differences go
/// forward, one evaluation for each velocity and two more, unless the world has derivatives of the user's own. Links of
/// a tree take the forces of x̃ together, if any of its K_i is not zero; trees that float have none, so that their momentum is that
/// of forces on bodies.
namespace cornet {

class IcfExternalSystemsLinearizer {
 public:
  /// Adds to forces on moving bodies.
  using Forces = std::function<void(const State&, std::span<BodyForce>)>;

  /// Adds what acts on bodies to `forces` and fills K, by velocity. Throws std::invalid_argument, naming body or velocity, when
  /// a force is not finite, or a derivative of the user's is not or is negative.
  void linearize(const WorldModel& world, const State& state, double h, const Forces& external, bool with_differences,
                 std::span<BodyForce> forces, VectorXd& K);

 private:
  void evaluate(const WorldModel& world, const State& at, const Forces& external, std::vector<BodyForce>& forces, VectorXd& tau);
  void differ(const WorldModel& world, double h, const Forces& external, VectorXd& K);

  State ahead_, moved_;
  std::vector<BodyForce> now_, then_, other_;
  VectorXd tau_now_, tau_, tau_other_;
  std::vector<std::unique_ptr<TreeCache>> caches_;
};

/// q <- q ⊕ t v of all trees.
void advanceState(const WorldModel& world, const VectorXd& v, double t, State& state);

}  // namespace cornet
