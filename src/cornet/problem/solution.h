#pragma once

#include "cornet/base/status.h"
#include "cornet/problem/certificate.h"

namespace cornet {

/// What a solver returns, and where it finds its warm start: `lambda` is read on entry when it has
/// one entry per row of the problem, and taken as zero when it is empty.
struct Solution {
  VectorXd v;       // velocities; empty for a Delassus problem
  VectorXd lambda;  // impulses [N s], one per row
  VectorXd u;       // relative velocities of the rows [m/s]
  SolveStatus status = SolveStatus::unsupported;
  Certificate certificate;
  int iterations = 0;
  int factorizations = 0;
  double seconds = 0.0;
};

}  // namespace cornet
