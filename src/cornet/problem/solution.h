#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cornet/base/status.h"
#include "cornet/problem/certificate.h"

namespace cornet {

/// One thing a solver tried, for the record.
struct SolveStage {
  enum class Kind : std::uint8_t { warm_start, sticking, sweeps, interior_point, polish, reduction, acting_rows };
  Kind kind = Kind::warm_start;
  int iterations = 0;      // sweeps
  int factorizations = 0;
  double relative = 0.0;   // certificate of the best iterate afterwards
};

std::string_view toString(SolveStage::Kind kind);

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
  std::vector<SolveStage> stages;  // in order; empty for a solver with one method
};

}  // namespace cornet
