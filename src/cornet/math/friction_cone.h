#pragma once

#include <algorithm>
#include <cmath>
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
inline double tangentialNorm(const Vector3d& x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); }

/// Euclidean projection onto K_μ.                                                           (CONE-2)
///   inside -> λ;   μ‖λ_t‖ ≤ -λ_n -> 0;   else λ_n⁺ = (λ_n + μ‖λ_t‖)/(1 + μ²),
///   λ_t⁺ = μ λ_n⁺ λ_t/‖λ_t‖
inline Vector3d projectFrictionCone(const Vector3d& lambda, double mu) {
  const double n = lambda[0];
  if (std::isinf(mu)) return {std::max(n, 0.0), lambda[1], lambda[2]};
  const double t = tangentialNorm(lambda);
  if (n >= 0.0 && t <= mu * n) return lambda;  // n < 0 with μ = 0 would pass the second test
  if (mu * t <= -n) return Vector3d::Zero();
  const double n_plus = (n + mu * t) / (1.0 + mu * mu);
  const double shrink = mu * n_plus / t;
  return {n_plus, shrink * lambda[1], shrink * lambda[2]};
}

/// Euclidean projection onto the dual K_μ* = K_{1/μ}.                                       (CONE-3)
Vector3d projectDualCone(const Vector3d& u, double mu);

/// Projects consecutive triples of `lambda` onto K_{μ_i}: the product of cones. In place.
void projectFrictionCones(std::span<const double> mu, Eigen::Ref<VectorXd> lambda);

/// The velocity Coulomb's law is written in: û = u + μ‖u_t‖ e_n (De Saxcé), finite μ.       (CONE-4)
inline Vector3d deSaxceVelocity(const Vector3d& u, double mu) {
  return {u[0] + mu * tangentialNorm(u), u[1], u[2]};
}

/// The cascaded Coulomb map: normal part max(0, x_n), tangential part projected onto the disc of
/// radius μ max(0, x_n). λ = C_μ(λ - ρu) for some ρ > 0 is Coulomb's law, μ = ∞ included.    (CONE-5)
inline Vector3d coulombMap(const Vector3d& x, double mu) {
  if (x[0] <= 0.0) return Vector3d::Zero();
  const double t = tangentialNorm(x);
  const double radius = mu * x[0];
  if (t <= radius) return x;
  return {x[0], x[1] * radius / t, x[2] * radius / t};
}

/// By how much ‖x_t‖ exceeds ‖x_t - s_t‖, and x_t - ‖x_t‖ d with d the direction of x_t - s_t, which has the length t > 0: to the accuracy
/// of s, however small beside x.
inline double calcTangentialLoss(const Vector3d& x, const Vector3d& s, double t) {
  const double length = tangentialNorm(x);
  const double sum = length + t;
  return sum > 0.0 ? ((2.0 * x[1] - s[1]) * s[1] + (2.0 * x[2] - s[2]) * s[2]) / sum : 0.0;
}
inline Vector2d calcTurn(const Vector3d& x, const Vector3d& s, double loss, double t) {
  return (tangentialNorm(x) * s.tail<2>() - loss * x.tail<2>()) / t;
}

/// λ - P(λ - s), P the projection onto K_μ, without the cancellation that loses s beside large λ.   (CONE-6)
inline Vector3d stepToFrictionCone(const Vector3d& lambda, const Vector3d& s, double mu) {
  const Vector3d x = lambda - s;
  const double t = tangentialNorm(x);
  if (std::isinf(mu)) return {x[0] > 0.0 ? s[0] : lambda[0], s[1], s[2]};
  if (x[0] >= 0.0 && t <= mu * x[0]) return s;
  if (mu * t <= -x[0]) return lambda;
  const double loss = calcTangentialLoss(lambda, s, t);
  const double beyond = tangentialNorm(lambda) - mu * lambda[0];  // the cone
  const double n = (s[0] + mu * (loss - beyond)) / (1.0 + mu * mu);
  const Vector2d tangent = calcTurn(lambda, s, loss, t) + (beyond + mu * n) / t * x.tail<2>();
  return {n, tangent[0], tangent[1]};
}

/// The same with C_μ for P.
inline Vector3d stepToCoulomb(const Vector3d& lambda, const Vector3d& s, double mu) {
  const Vector3d x = lambda - s;
  if (x[0] <= 0.0) return lambda;
  const double t = tangentialNorm(x);
  if (t <= mu * x[0]) return s;
  const double loss = calcTangentialLoss(lambda, s, t);
  const double beyond = tangentialNorm(lambda) - mu * lambda[0];
  const Vector2d tangent = calcTurn(lambda, s, loss, t) + (beyond + mu * s[0]) / t * x.tail<2>();
  return {s[0], tangent[0], tangent[1]};
}

}  // namespace cornet
