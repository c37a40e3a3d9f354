#pragma once

#include "cornet/sim/contact_search.h"

/// Part 1 of a step: contacts at the start poses, with what they want.
///
///   margin     g < 1e-4 m + 2 h |u⁻ + h J M⁻¹f|                                                (STEP-1)
///   closing    g(t) = 0 in flight, forces included, t ≤ h: n and arms are those of that time,
///              g := g(t) - u₀t - a_n t²/2,  u₀ = n·u there with the velocities of the start         (STEP-2)
///   impact     u₀ < -max(v_min, ½ h |a_n|), u₀² ≥ 2 a_n g⁺ and t₁ < h; |a_n| is at least gravity unless e > 0,
///              t₁ = 2g⁺/(√(u₀² - 2 a_n g⁺) - u₀)                                                 (STEP-3)
///   wanted     b = max(0, -e (u₀ + a_n t₁) + a_n (h - t₁)) after an impact, -g⁺/h otherwise,
///              min(-g⁺/h, -2g⁺/h - u₀) where u₀ is as fast and t₁ ≥ h                              (STEP-4)
namespace cornet {

/// Spheres, and shapes over planes and meshes, are followed contact by contact. Other pairs that are apart may
/// meet with other features than those that are closest now: their distance is followed, and the contacts
/// are those of the moment they meet. What stays apart in free motion keeps its contacts only within the
/// margin for bodies at rest. Buffers are kept between steps.
class ImpactFinder {
 public:
  /// Fills the contacts of a step from what detection found at its start.
  void find(const Search& search, std::span<const ShapePair> pairs);

 private:
  bool sweepPair(const Search& search, const ShapePair& pair);
  void takeContacts(const Search& search, const ShapePair& pair, bool followed);
  Manifold manifold_;
};

}  // namespace cornet
