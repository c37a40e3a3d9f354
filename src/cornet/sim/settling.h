#pragma once

#include "cornet/sim/contact_search.h"
#include "cornet/sim/held_rows.h"
#include "cornet/sim/island.h"
#include "cornet/solvers/exact.h"

/// The last part of a step that dissipates, where impacts or turning normals have left bodies in each other: they are
/// taken apart at once, and what that lifts is paid for by what the step dissipates.
///
///   min ½‖d‖²_M,  J_n d ≥ -g(h) of pairs that overlap, ≥ 0 of all other active contacts,
///   compliance 10⁻³ W_nn, no friction;   q := q + s d,  L unchanged,  the largest s ≤ 1 found with dE ≤ 0   (STEP-23)
///
/// The kick of an island with an impact is at the time of the impact, and the rows of all its contacts with it: those
/// that turn end closed to second order only. Left to the next steps, which may dissipate nothing, the lift
/// would be energy from nowhere. Islands whose sliding dissipates much more than that keep to (STEP-11).
namespace cornet {

/// Buffers are kept between steps.
class Settling {
 public:
  Settling();

  /// Moves the bodies of pairs that end the step in each other.
  void run(const Search& search, std::span<const ShapePair> overlaps, StepView step, std::span<const Island> islands);

 private:
  void begin(const StepView& step, const Island& island);
  void addRow(const StepView& step, int a, int b, const Vector3d& normal, const Vector3d& arm_a,
              const Vector3d& arm_b, double target);
  void collectRows(const Search& search, std::span<const ShapePair> overlaps, const StepView& step,
                   const Island& island, std::span<const std::pair<int, int>> own);
  void settle(StepView& step, const Island& island, double dissipated);

  std::vector<std::pair<int, int>> order_;  // island and pair
  std::vector<double> targets_;
  std::vector<InertialState> ends_;
  Manifold manifold_;
  ContactProblem problem_;
  Solution solution_;
  ExactSolver solver_;
};

}  // namespace cornet
