#pragma once

#include <span>

#include "cornet/math/types.h"

/// The friction cone of one contact and its dual; component order (n, t1, t2).
///
///   K_μ  = { λ : ‖λ_t‖ ≤ μ λ_n }        impulses [N s]                                      (CONE-1)
///   K_μ* = { u : u_n ≥ μ ‖u_t‖ }        velocities [m/s]
///
/// μ is any number in [0, ∞]. μ = 0 gives the ray λ_n ≥ 0, λ_t = 0 (dual: a half-space);
/// μ = ∞ gives the half-space λ_n ≥ 0 (dual: the ray u_n ≥ 0, u_t = 0).
namespace cornet {

/// Length of the tangential part (x_t1, x_t2).
double tangentialNorm(const Vector3d& x);

/// Euclidean projection onto K_μ.                                                           (CONE-2)
///   inside -> λ;   μ‖λ_t‖ ≤ -λ_n -> 0;   else λ_n⁺ = (λ_n + μ‖λ_t‖)/(1 + μ²),
///   λ_t⁺ = μ λ_n⁺ λ_t/‖λ_t‖
Vector3d projectFrictionCone(const Vector3d& lambda, double mu);

/// Euclidean projection onto the dual K_μ* = K_{1/μ}.                                       (CONE-3)
Vector3d projectDualCone(const Vector3d& u, double mu);

/// Projects consecutive triples of `lambda` onto K_{μ_i}: the product of cones. In place.
void projectFrictionCones(std::span<const double> mu, Eigen::Ref<VectorXd> lambda);

/// The velocity Coulomb's law is written in: û = u + μ‖u_t‖ e_n (De Saxcé), finite μ.       (CONE-4)
Vector3d deSaxceVelocity(const Vector3d& u, double mu);

/// The cascaded Coulomb map: normal part max(0, x_n), tangential part projected onto the disc of
/// radius μ max(0, x_n). λ = C_μ(λ - ρu) for some ρ > 0 is Coulomb's law, μ = ∞ included.    (CONE-5)
Vector3d coulombMap(const Vector3d& x, double mu);

}  // namespace cornet
