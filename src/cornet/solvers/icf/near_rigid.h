#pragma once

#include <algorithm>
#include <numbers>

/// Constraints that are as stiff as a step resolves: a critically damped oscillator of period β h_e on the inverse
/// mass w of the constraint, h_e = max(h, 1e-4 s).
///
///   K = 4π²/(β² h_e² w),  τ = β h_e/π,  R⁻¹ = K h (h + τ),  v̂ = -g0/(h + τ)
///   γ = R⁻¹ (v̂ - y),      ℓ = ½ R⁻¹ (v̂ - y)²                                                 (ICF-10)
///
/// A weight m g is held at the distance β² g h_e²/(4π²), whatever m. A row that moves nothing, w = 0, carries nothing.
namespace cornet {

inline constexpr double kNearRigidPeriod = 0.1;      // β
inline constexpr double kNearRigidStep = 1e-4;       // [s]: shorter steps do not stiffen further

struct NearRigid {
  double stiffness = 0.0;   // R⁻¹ [kg]
  double horizon = 1.0;     // h + τ [s]
  double slope = 0.0;       // ∂R⁻¹/∂w
};

inline NearRigid makeNearRigid(double h, double w) {
  const double step = std::max(h, kNearRigidStep);
  const double tau = kNearRigidPeriod * step / std::numbers::pi;
  if (!(w > 0.0)) return {0.0, h + tau, 0.0};
  const double omega = 2.0 * std::numbers::pi / (kNearRigidPeriod * step);
  const double stiffness = omega * omega * h * (h + tau) / w;
  return {stiffness, h + tau, -stiffness / w};
}

}  // namespace cornet
