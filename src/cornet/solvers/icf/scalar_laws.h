#pragma once

#include "cornet/math/types.h"
#include "cornet/solvers/icf/near_rigid.h"

/// Potentials of one rate y = a·v each (ICF-9). γ = -dℓ/dy is the impulse along the row, c = d²ℓ/dy² ≥ 0.
namespace cornet {

struct ScalarTerms {
  double cost = 0.0, impulse = 0.0, curvature = 0.0;
};

/// How an impulse answers to what a law was given, y held: its coordinate, its inverse mass w, its bias.
struct ScalarSensitivity {
  double coordinate = 0.0, inverse_mass = 0.0, bias = 0.0;
};

/// lower ≤ q ≤ upper, near-rigid and one-sided: with v̂_l = w + (lower - q0)/(h + τ), v̂_u = (q0 - upper)/(h + τ) - w
///   γ = R⁻¹ (v̂_l - y)₊ - R⁻¹ (v̂_u + y)₊,   ℓ = ½ R⁻¹ ((v̂_l - y)₊² + (v̂_u + y)₊²)               (ICF-11)
struct LimitLaw {
  double q0 = 0.0;
  double lower = -kInfinity, upper = kInfinity;
  double rate = 0.0;  // w at which the limits themselves move

  /// Throws std::invalid_argument when numbers are not finite or the limits are the wrong way round.
  void check(int index) const;
  void setTimeStep(double h, double w) { rigid = makeNearRigid(h, w); }
  ScalarTerms at(double y) const;
  ScalarSensitivity sensitivity(double y) const;

  NearRigid rigid = {};
};

/// g = 0 of a coordinate that is g0 at the start, as q_i - ρ q_j - Δ is: near-rigid, both ways.
///   γ = R⁻¹ (v̂ - y),  v̂ = w - g0/(h + τ),   ℓ = ½ R⁻¹ (v̂ - y)²                               (ICF-12)
struct CouplerLaw {
  double g0 = 0.0;
  double rate = 0.0;  // w of y that keeps g: what moves as prescribed is not in y

  void check(int index) const;
  void setTimeStep(double h, double w) { rigid = makeNearRigid(h, w); }
  ScalarTerms at(double y) const;
  ScalarSensitivity sensitivity(double y) const;

  NearRigid rigid = {};
};

/// An effort that depends on the rate, clamp(b - K y, ±e), K ≥ 0:
///   inside ℓ = h (½ K y² - b y);  b - K y > e: ℓ = -h e y - h (b - e)²/(2K);
///   b - K y < -e: ℓ = h e y - h (b + e)²/(2K);  K = 0: ℓ = -h clamp(b) y                        (ICF-13)
struct GainLaw {
  double bias = 0.0;           // b [N, N m]
  double gain = 0.0;           // K [N s/m, N m s]
  double effort = kInfinity;   // e [N, N m]

  void check(int index) const;
  void setTimeStep(double step, double) { h = step; }
  ScalarTerms at(double y) const;
  ScalarSensitivity sensitivity(double y) const;

  double h = 0.0;
};

}  // namespace cornet
