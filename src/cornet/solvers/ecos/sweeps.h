#pragma once

#include "cornet/solvers/ecos.h"

/// Contact problems by conic solves. With v(w) the solution of the conic program whose normal
/// velocities are raised by w ≥ 0,
///
///   w_i <- μ_i ‖u_t,i(v(w))‖ :   its fixed point obeys Coulomb's law                      (ECOS-4)
///
/// accelerated by (ECOS-5), from w = 0 or from the slip of a given start. The matrices keep their
/// pattern: there is one set-up. Every solve is about the result of the one before it (ECOS-6); for
/// the convex model, w = 0, that is all there is to repeat, and it is done while it helps. A W as
/// stored may be unsymmetric or indefinite in its last digits: the right side also carries
/// (W - F Fᵀ)λ of the last solve.
///
/// Stops when the certificate meets the tolerance, after max_sweeps, when ECOS fails, or when the
/// certificate has not improved for long; returns the best iterate by certificate.
namespace cornet {

template <class Problem>
SolveStatus solveBySweeps(const Problem& problem, const EcosOptions& options, Solution& solution,
                          EcosReport& report);

extern template SolveStatus solveBySweeps(const ContactProblem&, const EcosOptions&, Solution&,
                                          EcosReport&);
extern template SolveStatus solveBySweeps(const DelassusProblem&, const EcosOptions&, Solution&,
                                          EcosReport&);

}  // namespace cornet
