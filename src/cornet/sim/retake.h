#pragma once

#include "cornet/sim/contact_search.h"
#include "cornet/sim/held_rows.h"
#include "cornet/sim/island.h"

/// A step that gained energy is taken again. With v' for the velocity at its start and rows J̄ at the kick the change of
/// energy is λ·J̄(v' + v⁺)/2, exactly; for contacts that hold it vanishes when J v' = 0 at the start,
///
///   v' = argmin ½‖v' - v‖²_M,  J v' = 0 over contacts that hold:   T never grows                  (STEP-24)
///
/// and they end closed without correction when J̄ sees the gap that the way leads to, J̄_n w = (g(h) - g)/h. J̄ is J at points
/// moved by d, on both bodies alike, so that impulses stay equal, opposite and on one line:
///
///   d = ε (n × ω)/|n × ω|²,   ε = (g(h) - g)/h - J_n w of the step before,  ω of B relative to A    (STEP-25)
///
/// d is of second order: so remains the step. Overlaps of less than 0.5 % of the smaller radius are not lifted
/// meanwhile, J_n w ≥ 0 instead of -β g/h: a step that dissipates pays for them.                  (STEP-26)
///
/// The impulses M(v' - v) are part of what contacts do. Where with them one would pull or leave its cone, v' = v instead, and
/// what separates at the start may approach as fast at the end, which does as little work: b := b - max(0, J_n v)   (STEP-29)
/// Islands that rest, have impacts, joints or contacts whose normal turns are left as they are.
namespace cornet {

/// Buffers are kept between steps.
class Retake {
 public:
  Retake();

  /// Prepares islands that gained for another go, which then are no longer done and know the impulses that take v to v'.
  /// Returns whether there are any.
  bool prepare(const Search& search, StepView step, std::span<Island> islands);

  /// Prepares islands whose contacts, with what takes v to v', pull or leave their cone, to be taken from v (STEP-29). Returns
  /// whether there are any.
  bool revert(StepView step, std::span<Island> islands) const;

 private:
  void addRow(const StepView& step, int contact, const Vector3d& direction);
  void project(StepView& step, Island& island);
  void movePoints(const Search& search, StepView& step, const Island& island);

  std::vector<HeldRow> rows_;
  std::vector<std::pair<int, Vector3d>> meaning_;  // of the rows: contact and direction
  std::vector<double> multipliers_;
  BlockDiagonalMatrix M_;
  HeldRows held_rows_;
  VectorXd v_;
};

}  // namespace cornet
