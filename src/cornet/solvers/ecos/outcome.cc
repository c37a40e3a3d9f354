#include "cornet/solvers/ecos/outcome.h"

#include <algorithm>

#include <fmt/format.h>

namespace cornet {
namespace {

struct Exit {
  int flag;
  SolveStatus status;
  const char* words;
};

// The objective is bounded below, so "unbounded" can only be a numerical failure.
constexpr Exit kExits[] = {
    {0, SolveStatus::inaccurate, "found an optimum"},
    {10, SolveStatus::inaccurate, "found an optimum to reduced accuracy"},
    {1, SolveStatus::infeasible, "proved that no velocity satisfies the laws"},
    {11, SolveStatus::infeasible, "found that no velocity satisfies the laws, to reduced accuracy"},
    {2, SolveStatus::numerical_error, "took the problem for unbounded, which it is not"},
    {12, SolveStatus::numerical_error,
     "took the problem for unbounded to reduced accuracy, which it is not"},
    {-1, SolveStatus::max_iterations, "ran out of iterations"},
    {-2, SolveStatus::numerical_error, "stopped at an unreliable search direction"},
    {-3, SolveStatus::numerical_error, "left the cone"},
    {-4, SolveStatus::max_iterations, "was interrupted"},
    {-7, SolveStatus::numerical_error, "could not factor its system"},
};
constexpr Exit kUnknown = {0, SolveStatus::numerical_error, "ended for an unknown reason"};

const Exit& findExit(int flag) {
  const auto* found = std::ranges::find(kExits, flag, &Exit::flag);
  return found != std::end(kExits) ? *found : kUnknown;
}

}  // namespace

SolveStatus statusOfExit(int exit_flag) { return findExit(exit_flag).status; }

std::string describeExit(int exit_flag, const ConstraintRows& rows) {
  int contacts = 0;
  double lowest = 0.0, highest = 0.0;
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (rows.kind[i] != LawKind::cone) continue;
    lowest = contacts == 0 ? rows.mu[i] : std::min(lowest, rows.mu[i]);
    highest = std::max(highest, rows.mu[i]);
    ++contacts;
  }
  return fmt::format("ECOS {} (exit code {}; {} blocks, {} of them contacts with μ from {} to {})",
                     findExit(exit_flag).words, exit_flag, rows.blockCount(), contacts, lowest,
                     highest);
}

}  // namespace cornet
