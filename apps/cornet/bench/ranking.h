#pragma once

#include <span>

#include "bench/results.h"

/// Figures of a benchmark. Times are compared by geometric means of ratios, over the problems that
/// both sides solved; how many those are always stands beside the mean.
namespace cornet::app {

/// A class of problems by their number of contacts.
struct SizeGroup {
  const char* label;
  int min_contacts;
  int max_contacts;
  bool holds(const BenchProblem& problem) const {
    return problem.contacts >= min_contacts && problem.contacts <= max_contacts;
  }
};

/// All; those where linear algebra dominates; those where set-up does.
std::span<const SizeGroup> sizeGroups();

struct Mean {
  double value = 0.0;  // meaningless when count is 0
  int count = 0;
};

/// Index of the fastest solver of the peer that solved this problem, or -1: the virtual best.
int findVirtualBest(const BenchResults& results, const BenchProblem& problem);
/// The same over all solvers, ours included.
int findFastest(const BenchResults& results, const BenchProblem& problem);

int countSolved(const BenchResults& results, int solver);
int countSolvedByPeer(const BenchResults& results);

/// Time of the solver over the time of another one, or of the peer's virtual best.
Mean calcMeanRatio(const BenchResults& results, int solver, int other, const SizeGroup& group);
Mean calcMeanRatioToBest(const BenchResults& results, int solver, const SizeGroup& group);
/// Time of a solver, or of the virtual best, over the problems solved [s].
Mean calcMeanTime(const BenchResults& results, int solver, const SizeGroup& group);
Mean calcMeanBestTime(const BenchResults& results, const SizeGroup& group);

}  // namespace cornet::app
