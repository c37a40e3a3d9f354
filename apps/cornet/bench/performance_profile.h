#pragma once

#include "bench/results.h"

namespace cornet::app {

/// The performance profile of Dolan and Moré [dolan2002] as an SVG picture. With t_ps the time of
/// solver s on problem p, infinite where it did not solve it,
///
///   ratio r_ps = t_ps / min over s of t_ps,    curve of s: r -> share of problems with r_ps ≤ r
///
/// on a logarithmic axis r: at the left end how often a solver is the fastest, at the right end how
/// much it solves at all. Our solvers are bold, those of a peer thin, a colour per family.
std::string drawPerformanceProfile(const BenchResults& results);

}  // namespace cornet::app
