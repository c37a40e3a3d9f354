#pragma once

#include "cornet/world/state.h"

namespace cornet {

/// Where bodies are within a step that was taken in two halves. In each half, of length h and with s from 0 to 1,
///
///   x(s) = cubic with the places x₀, x₁ and the rates h v₀, h v₁ at its ends
///   q(s) = exp(φ(s)) q₀,   φ the cubic with 0, log(q₁ q₀⁻¹) and the rates h ω₀, h J_l⁻¹(φ₁) ω₁      (ERR-7)
///
/// J_l of φ' = J_l⁻¹(φ) ω. Velocities are the rates of these curves, those of the ends at the ends. Flight and what rolls or slides
/// on flat ground under a constant force are met exactly; where something hits within a half, the curve rounds the corner, by at most
/// (4/27) h times the change of velocity.
struct DenseStep {
  BodyStates begin, middle, end;

  /// Bodies at a time within the step. Throws std::invalid_argument for other times.
  void calcBodies(double time, BodyStates& at) const;
};

}  // namespace cornet
