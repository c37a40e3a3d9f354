#pragma once

#include "cornet/math/coulomb_contact.h"

/// One contact under the convex friction model, which is not Coulomb's law:
///
///   min ½ λᵀAλ + qᵀλ over K_μ   <=>   λ in K_μ,  u = Aλ + q in K_μ*,  λ·u = 0.               (CVX-1)
///
/// A sliding contact separates at u_n = μ‖u_t‖: the model throws a sliding body upwards. It is here
/// to be compared with. On the boundary λ = s e, e = (1, μ d), s = -q·e/eᵀAe, and the direction d
/// minimises -(q·e)²/(2 eᵀAe) over the circle; A must be symmetric.                          (CVX-2)
namespace cornet {

/// Solves (CVX-1) for finite μ. Costs a few microseconds: sampling, then bisection.
ContactMode solveConvexContact(const Matrix3d& A, const Vector3d& q, double mu, Vector3d& lambda);

}  // namespace cornet
