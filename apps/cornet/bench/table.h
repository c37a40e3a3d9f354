#pragma once

#include "bench/results.h"

/// What `cornet bench` prints for people.
namespace cornet::app {

/// Two lines: solvers, then their columns.
std::string benchHeader(const BenchResults& results, std::size_t name_width);
std::string benchLine(const BenchResults& results, const BenchProblem& problem,
                      std::size_t name_width);

/// Solved counts, mean ratios to the virtual best and to each solver of the peer, and the names of
/// the problems that our solvers did not solve.
std::string benchSummary(const BenchResults& results);

}  // namespace cornet::app
