#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cornet/sim/island.h"

/// How contacts slip in the step whose slip ends in it: as long as friction needs,
///
///   J_t w = f_p/2 u⁻_t,   f_p = clamp(-Σλ_t·u⁻_t / Σ μλ_n|u⁻_t|, 0, 1) of the pair of bodies, 2 t₁/h for an impact;
///
/// slip that reversed ends as it is, J_t w = u⁺_t.                                              (PLACE-3)
namespace cornet {

class SlipEnds {
 public:
  /// Sums over pairs of bodies.
  void begin(const StepView& step, const Island& island);
  /// J_t w of contact k of the island; nothing where it slides on. `rest`: the share of the step that is left for slip to end in.
  bool find(const StepView& step, const StepContact& contact, std::size_t k, double rest, Vector3d& way) const;

 private:
  std::vector<std::pair<std::uint64_t, int>> pairs_;  // of bodies, and a contact
  std::vector<double> work_, limit_;                  // per contact of the island: sums of its pair
};

}  // namespace cornet
