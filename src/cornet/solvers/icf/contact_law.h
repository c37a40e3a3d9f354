#pragma once

#include "cornet/math/types.h"

/// The potentials of one contact, as functions of its velocity v_c = v_n n + v_t, B relative to A; γ = -∂ℓ/∂v_c is
/// the impulse on B, G = ∂²ℓ/∂v_c² is positive semi-definite. h: time step, f: elastic force at the start.
///
/// Normal impulse, discrete Hunt-Crossley:
///   n(v) = h (f - h k v)₊ (1 - d v)₊                                                           (ICF-3)
///   P(v) = ∫ n from v to v̂,   v̂ = min(f/(h k), 1/d):  zero where nothing acts, all terms ≥ 0:
///          v̂ = f/(h k): P = h² k (c δ²/2 + d δ³/3),  c = 1 - d v̂,  δ = (v̂ - v)₊
///          v̂ = 1/d:     P = h d (e δ²/2 + h k δ³/3),  e = f - h k v̂                            (ICF-4)
/// Friction, with the soft norm s = √(‖v_t‖² + ε²), t̂ = v_t/s, ε = max(v_s, μ R_t n0), R_t = σ w_t:
///   lagged:  ℓ = μ n0 (s - ε) + P(v_n),  n0 = h f_n0, f_n0 = f₊ (1 - d v_n0)₊ of the start      (ICF-5)
///   similar: ℓ = P(z),  z = v_n - μ (s - ε)                                                    (ICF-6)
///   sap:     ℓ = ½ γᵀRγ, γ = projection of R⁻¹(v̂ - v_c) onto the cone in the norm of R,
///            R = diag(R_t, R_t, R_n), R_n = max(β² w_n/(4π²), 1/(h k (h + τ))), v̂ = f/(k (h + τ)) (ICF-7)
/// w_n, w_t: inverse effective masses of the point along its normal and, in the mean, its tangents.
/// Along a line v + α u a contact needs the five scalars of `ContactLine` alone.
namespace cornet {

enum class IcfFriction { lagged, similar, sap };

/// One contact with all that its potential reads.
struct ContactLaw {
  IcfFriction friction = IcfFriction::lagged;
  double h = 0.0;             // [s]
  double stiffness = 0.0;     // k [N/m]
  double elastic_force = 0.0; // f [N], negative for a gap
  double dissipation = 0.0;   // d [s/m]
  double approach = 0.0;      // normal speed at which bodies met at the start, at least 0 [m/s]
  double mu = 0.0;
  double lagged_impulse = 0.0;    // n0 [N s]
  double epsilon = 0.0;           // [m/s]
  double R_n = 0.0, R_t = 0.0;    // of (ICF-7) [1/kg]
  double v_hat = 0.0;             // of (ICF-7) [m/s]
};

struct NormalTerms {
  double potential = 0.0;  // P
  double impulse = 0.0;    // n = -P'
  double slope = 0.0;      // n' ≤ 0
};
NormalTerms calcNormal(const ContactLaw& law, double v);

struct ContactTerms {
  double cost = 0.0;
  Vector3d impulse = Vector3d::Zero();
  Matrix3d hessian = Matrix3d::Zero();
};
/// `normal` is a unit vector from A into B.
ContactTerms calcContact(const ContactLaw& law, const Vector3d& normal, const Vector3d& v_c);

/// A contact along v_c + α u_c: ‖v_t‖², v_t·u_t, ‖u_t‖² and the normal velocities.
struct ContactLine {
  double vv, vu, uu, v_n, u_n;
};
ContactLine makeContactLine(const Vector3d& normal, const Vector3d& v_c, const Vector3d& u_c);

/// Value and derivatives along a line.
struct LineTerms {
  double cost = 0.0, slope = 0.0, curvature = 0.0;

  LineTerms& operator+=(const LineTerms& other) {
    cost += other.cost;
    slope += other.slope;
    curvature += other.curvature;
    return *this;
  }
};
LineTerms calcContactAlong(const ContactLaw& law, const ContactLine& line, double alpha);

/// Friction coefficient at a tangential speed, from static to dynamic around ten times v_s:
///   μ = μ_d + (μ_s - μ_d) (1 - S(x - 10))/(1 + S(10)),  x = ‖v_t0‖/v_s,  S(y) = y/√(1 + y²)     (ICF-8)
/// μ_s at rest, μ_d in the limit, monotone in between. `slope` is dμ/dx.
struct FrictionBlend {
  double mu, slope;
};
FrictionBlend blendFriction(double mu_static, double mu_dynamic, double x);

}  // namespace cornet
