#pragma once

#include "cornet/math/coulomb_contact.h"

/// One contact under the convex friction model, which is not Coulomb's law:
///
///   min ½ λᵀAλ + qᵀλ over K_μ   <=>   λ in K_μ,  u = Aλ + q in K_μ*,  λ·u = 0.               (CVX-1)
///
/// A sliding contact separates at u_n = μ‖u_t‖: the model throws a sliding body upwards. It is here
/// to be compared with. On the boundary of the cone u = α D λ, D = diag(μ², -1, -1), so
///
///   (A - α D) λ = -q,   λᵀDλ = 0,   α > 0.                                                    (CVX-2)
///
/// The pencil (A, D) has one positive eigenvalue ρ_1 and two negative ones. In its eigenbasis,
/// oriented forwards, y_i = -c_i/(1 - αρ_i), and λ_n > 0 picks the side of the pole: α < 1/ρ_1 when
/// c_1 < 0, α > 1/ρ_1 when c_1 > 0. There the equation, written with reciprocals,
///
///   |1 - αρ_1|/(√ρ_1 |c_1|) = (Σ_{i>1} |ρ_i| c_i²/(1 + α|ρ_i|)²)^(-1/2),                      (CVX-3)
///
/// is nearly linear and has one root. A slightly unsymmetric A is symmetrised for this; the direction
/// is then corrected with A as it is.
namespace cornet {

/// Solves (CVX-1) for finite μ. Costs about a microsecond when the contact slides.
ContactMode solveConvexContact(const Matrix3d& A, const Vector3d& q, double mu, Vector3d& lambda);

}  // namespace cornet
