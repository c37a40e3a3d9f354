#pragma once

#include "cornet/problem/contact_problem.h"
#include "cornet/problem/delassus_problem.h"
#include "cornet/solvers/ecos/ecos_data.h"
#include "cornet/solvers/friction_cone_spec.h"

/// Contact problems as conic programs (ECOS-3) of the convex friction model: K_μ ∋ λ ⟂ u in K_μ*.
/// Coulomb's law follows by repeating the solve with the additional normal velocity μ‖u_t‖; that
/// changes the right side only (`assembleValues`).
namespace cornet {

/// Sparse; all laws, compliance included, with finite μ.
ECOSData buildECOSProblem(const ContactProblem& problem);

/// The same from the symmetric part of W, factored densely.
ECOSData buildECOSProblem(const DelassusProblem& problem);

/// Contacts alone, u = A λ - b, with A symmetric positive semidefinite of any rank. Throws
/// std::invalid_argument when sizes disagree, rows are shared, or a number is not finite.
ECOSData buildECOSProblem(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                          const FrictionConeSpec& spec, int numContacts);

}  // namespace cornet
