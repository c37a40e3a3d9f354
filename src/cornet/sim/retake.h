#pragma once

#include "cornet/sim/contact_search.h"
#include "cornet/sim/island.h"

/// A step that gained energy is taken again. With rows J̄ at the kick its change of energy is λ·J̄(v + v⁺)/2, exactly. For contacts that
/// hold it vanishes when what they move with at the start, which only errors of the step before have left, is no velocity of theirs:
///
///   u⁻ := 0 of what sticks or its slip reversed, u⁻_n := 0 of what slips,  so that J̄ v⁺ = -J̄ v       (STEP-24)
///
/// and they end closed without correction when J̄ sees the gap that the way leads to, J̄_n w = (g(h) - g)/h. J̄ is J at points
/// moved by d, on both bodies alike, so that impulses stay equal, opposite and on one line:
///
///   d = ε (n × ω)/|n × ω|²,   ε = (g(h) - g)/h - J_n w of the step before,  ω of B relative to A    (STEP-25)
///
/// d is of second order: so remains the step. Overlaps of less than 0.5 % of the smaller radius are not lifted
/// meanwhile, J_n w ≥ 0 instead of -β g/h: a step that dissipates pays for them.                  (STEP-26)
///
/// Islands that rest, have impacts, joints or contacts whose normal turns are left as
/// they are.
namespace cornet {

/// Prepares islands that gained for another go, which then are no longer done. Returns whether there are any.
bool prepareRetakes(const Search& search, StepView step, std::span<Island> islands);

}  // namespace cornet
