#pragma once

#include <limits>

/// Dynamics of first order between a control u and the activation a that drives an actuator, for a u that is held:
///
///   integrator   ȧ = u,            a(t) = a + t u
///   filter       ȧ = (u - a)/τ,    a(t) = u + (a - u) e^{-t/τ}
///   mean until t the integral of a(t) over t, divided by it                                             (TREE-11)
///
/// within limits, at which a stays while u drives it there. Both are monotone in t: a limit is met once at most, at a time that is known.
/// Exact; two halves lead where the whole does, but for rounding.
namespace cornet {

struct ActivationLaw {
  bool integrates = false;
  double time_constant = 0.0;  // τ [s] of a filter; 0: it follows at once
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

/// Where an activation is, and the mean of where it was.
struct ActivationWay {
  double end = 0.0, mean = 0.0;
};
ActivationWay calcActivation(const ActivationLaw& law, double a, double u, double t);

}  // namespace cornet
