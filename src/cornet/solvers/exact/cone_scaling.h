#pragma once

#include "cornet/math/types.h"

/// The unit cone L³ = { x : x_n ≥ ‖x_t‖ }, order (n, t1, t2), as a Jordan algebra, and its
/// Nesterov-Todd scaling at interior points r, z in spectral form:
///
///   x∘y = (x·y, x_n y_t + y_n x_t),   e = (1, 0, 0),   det x = (x_n - ‖x_t‖)(x_n + ‖x_t‖)      (EXACT-1)
///   W² z = r,   W² = E diag(ω) Eᵀ,   E = [(1, d)/√2, (1, -d)/√2, (0, d⊥)]                        (EXACT-2)
///     r̂ = r/√det r, ẑ = z/√det z, w = (r̂ + R ẑ)/√(2(1 + r̂·ẑ)), R = diag(1, -1, -1), d = w_t/‖w_t‖
///     η² = √(det r/det z), a = √(1 + ‖w_t‖²) + ‖w_t‖, ω = η² (a², 1/a², 1)
///
/// All functions of W² share E: no 3x3 matrix is inverted and nothing cancels, so products with
/// W, W⁻¹ and (W⁻² + δ)⁻¹ keep full accuracy when r and z are at the edge of their cones.
namespace cornet::exact {

struct ConeScaling {
  Vector2d d = Vector2d::UnitX();
  Vector3d omega = Vector3d::Ones();
};

/// x_n - ‖x_t‖: how far inside the cone x is; negative outside.
double coneDepth(const Vector3d& x);

/// (EXACT-2) for interior r and z. Not finite when one of them is not interior.
ConeScaling makeConeScaling(const Vector3d& r, const Vector3d& z);

/// E diag(f) Eᵀ x and E diag(f) Eᵀ for a function f of ω, one value per eigenvector.
Vector3d applySpectral(const ConeScaling& scaling, const Vector3d& f, const Vector3d& x);
Matrix3d makeSpectral(const ConeScaling& scaling, const Vector3d& f);

Vector3d jordanProduct(const Vector3d& x, const Vector3d& y);
/// The y with x∘y = b; x interior.
Vector3d jordanDivide(const Vector3d& x, const Vector3d& b);

/// Largest step a with x + a dx in the cone, x in the cone; infinity when there is no limit.
double maxConeStep(const Vector3d& x, const Vector3d& dx);

}  // namespace cornet::exact
