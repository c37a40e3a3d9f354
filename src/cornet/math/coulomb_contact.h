#pragma once

#include "cornet/math/types.h"

/// One contact under the exact Coulomb law, solved in closed form.
///
///   Given A (3x3, order n, t1, t2; unsymmetric allowed, A_nn > 0), q and μ in [0, ∞], find λ with
///   u = A λ + q,   λ in K_μ,   u + μ‖u_t‖e_n in K_μ*,   orthogonal.                          (ONE-1)
///
/// Open:   q_n ≥ 0, λ = 0.
/// Closed: u_n = 0 leaves u_t = S λ_t + w, λ_n = p - β·λ_t with                               (ONE-2)
///         p = -q_n/A_nn,  β = A_nt/A_nn,  S = A_tt - A_tn A_nt/A_nn,  w = q_t - A_tn q_n/A_nn
/// Stick:  S λ_t = -w, accepted when ‖λ_t‖ ≤ μ λ_n.
/// Slip:   λ_t = μ λ_n d, λ_n = p/(1 + μ β·d), u_t = -α λ_t with α > 0. In the frame (-w/‖w‖, e),
///         d ∝ (1, τ), and the part of u_t across d vanishes where                            (ONE-3)
///           G(τ) = m(σ21 + (σ22 - σ11)τ - σ12 τ²) + τ(√(1+τ²) + μ(β1 + β2 τ)) = 0,  m = μp/‖w‖,
///         σ, β being S, β in that frame. e is chosen so that σ21 ≤ 0: then G(0) ≤ 0, and
///         τ = -σ21/(σ22 + α) says that α ≥ 0 is the interval from 0 to the direction of the sticking
///         impulse, -σ21/σ22, where G > 0 unless the contact sticks. Every root in it has λ_n > 0: a
///         bracketed scalar Newton iteration finds it with one square root a step and no trigonometry. Where 1 + μ β·d
///         cancels, λ_n comes from the other factor of G: μ λ_n = ‖w‖τ√(1+τ²)/(σ12τ² + (σ11-σ22)τ - σ21).
///
/// A solution exists for every finite μ when A_nn > 0 and the symmetric part of S is positive
/// definite. Otherwise the answer is checked and, where it fails, all directions are searched; a
/// singular S with μ‖β‖ > 1 may jam, and with μ = ∞ a contact may neither stick nor open: then the
/// answer is λ = 0, mode `none`.
namespace cornet {

enum class ContactMode { open, stick, slip, none };

/// The part of the solution that depends on A and μ alone, prepared for many right-hand sides.
class CoulombContact {
 public:
  CoulombContact() = default;
  CoulombContact(const Matrix3d& A, double mu);

  /// Writes the impulse [N s] for the free velocity q [m/s] of this contact.
  ContactMode solve(const Vector3d& q, Vector3d& lambda) const;

 private:
  bool stick(const Vector2d& w, double p, Vector2d& x, Vector3d& lambda) const;
  Vector2d stickTangentially(const Vector2d& w) const;
  bool slip(const Vector2d& w, double p, const Vector2d& x, Vector3d& lambda) const;
  bool slides(const Vector2d& w, double p, const Vector3d& lambda) const;
  bool searchAllDirections(const Vector2d& w, double p, Vector3d& lambda) const;

  double mu_ = 0.0;
  double inverse_a_ = 0.0;                // 1/A_nn, 0 when A_nn is not positive
  Vector2d beta_ = Vector2d::Zero();      // A_nt/A_nn
  Vector2d gamma_ = Vector2d::Zero();     // A_tn/A_nn
  Matrix2d S_ = Matrix2d::Zero();
  Matrix2d S_inverse_ = Matrix2d::Zero();
  bool well_conditioned_ = false;         // S_inverse_ may be used without pivoting
  bool definite_ = false;                 // the symmetric part of S is positive definite
  double noise_ = 0.0;                    // rounding error of the entries of S
};

/// One solve; convenience around `CoulombContact`.
ContactMode solveCoulombContact(const Matrix3d& A, const Vector3d& q, double mu, Vector3d& lambda);

}  // namespace cornet
