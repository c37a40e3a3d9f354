#pragma once

#include "cornet/math/rotation.h"

/// Free rotation: no torque acts, so the angular momentum L stays in world axes and the orientation
/// follows from it,
///
///   q̇ = ½ ω ⊗ q,   ω = I(q)⁻¹ L.
///
/// With principal moments (I_a, I_i, I_j), where 1/I_i and 1/I_j are the closest two, one step S(h) is
///
///   turn about j by h/2 (1/I_j - 1/I_i) L_j;  free symmetric top (I_i, I_i, I_a), exact;  turn about j again
///
/// each turn by a right factor of q and the opposite turn of L in body axes. Two equal moments make it exact.
/// Otherwise Suzuki's composition S(ph)S(ph)S((1-4p)h)S(ph)S(ph), p = 1/(4 - 4^⅓), of fourth order, in as
/// many substeps, 64 at most, as keep the turns of each below 0.1 rad. L is kept to rounding, energy to 2e-8 over 10⁴ steps of
/// 0.1 rad. [suzuki1990]                                                                       (BODY-4)
namespace cornet {

class PrincipalInertia {
 public:
  PrincipalInertia() : PrincipalInertia(Matrix3d::Identity()) {}
  /// Inertia about the centre of mass, in body axes [kg m²].
  explicit PrincipalInertia(const Matrix3d& inertia);

  const Vector3d& moments() const { return moments_; }
  /// I(q) ω and I(q)⁻¹ L, world axes.
  Vector3d calcMomentum(const Quaterniond& q_WB, const Vector3d& omega) const;
  Vector3d calcOmega(const Quaterniond& q_WB, const Vector3d& momentum) const;
  /// I(q)⁻¹ in world axes.
  Matrix3d calcInverse(const Quaterniond& q_WB) const;
  Matrix3d calcMatrix(const Quaterniond& q_WB) const;

  /// Moves q and ω (world) along for h [s], which may be negative.
  void turnFreely(double h, Quaterniond& q_WB, Vector3d& omega) const;

 private:
  void step(double h, Quaterniond& q_WP, Vector3d& L_P) const;
  int substeps(double h, const Vector3d& L_P) const;
  Matrix3d axes(const Quaterniond& q_WB) const;

  Vector3d moments_;
  Quaterniond q_BP_ = Quaterniond::Identity();
  bool turned_ = false;     // principal axes are not the body's
  bool spherical_ = false;  // all moments equal
  bool symmetric_ = false;  // 1/I_i = 1/I_j
  int a_ = 2, i_ = 0, j_ = 1;
};

}  // namespace cornet
