#pragma once

#include "cornet/sim/contact_search.h"
#include "cornet/sim/held_rows.h"
#include "cornet/sim/island.h"

/// A step that gained energy is taken again. With v' for the velocity at its start and rows J̄ at the kick the change of
/// energy is λ·J̄(v' + v⁺)/2, exactly; it vanishes for contacts that hold when
///
///   J v' = 0 at the start:   v' = argmin ½‖v' - v‖²_M over contacts that hold; T never grows        (STEP-24)
///
/// and they stay closed without correction when J̄ sees the gap that the way leads to,
///
///   J̄_n w = (g(h) - g)/h:    J̄ is J at points moved by  d = ε (n × ω)/|n × ω|²  on both bodies,
///                            ε = (g(h) - g)/h - J_n w of the step before                           (STEP-25)
///
/// ω that of B relative to A. Impulses stay equal, opposite and on one line: momentum is conserved. d is of second order, so
/// the order of the step stays. Contacts whose normal turns, islands with impacts or joints are left as they are.
namespace cornet {

/// Buffers are kept between steps.
class Retake {
 public:
  Retake();

  /// Prepares islands that gained for another go, which then are no longer done. Returns whether there are any.
  bool prepare(const Search& search, StepView step, std::span<Island> islands);

 private:
  void project(StepView& step, const Island& island);
  void movePoints(const Search& search, StepView& step, const Island& island);

  std::vector<HeldRow> rows_;
  BlockDiagonalMatrix M_;
  HeldRows held_rows_;
  VectorXd v_;
};

}  // namespace cornet
