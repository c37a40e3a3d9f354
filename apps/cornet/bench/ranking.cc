#include "bench/ranking.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cornet::app {
namespace {

constexpr int kAnyNumber = std::numeric_limits<int>::max();
constexpr SizeGroup kGroups[] = {
    {"all", 0, kAnyNumber}, {"nc >= 9", 9, kAnyNumber}, {"nc <= 5", 0, 5}};

// A clock that counts nanoseconds may show nothing for an empty problem.
constexpr double kShortestTime = 1e-9;

std::optional<double> findTime(const BenchProblem& problem, int solver) {
  if (solver < 0 || !problem.runs[solver].solved) return std::nullopt;
  return std::max(problem.runs[solver].seconds, kShortestTime);
}

// Geometric mean of value(problem) over the problems of the group that have one.
template <class Value>
Mean calcMean(const BenchResults& results, const SizeGroup& group, Value&& value) {
  Mean mean;
  double sum = 0.0;
  for (const BenchProblem& problem : results.problems) {
    const std::optional<double> x = group.holds(problem) ? value(problem) : std::nullopt;
    if (!x) continue;
    sum += std::log(*x);
    ++mean.count;
  }
  if (mean.count > 0) mean.value = std::exp(sum / mean.count);
  return mean;
}

std::optional<double> calcRatio(const BenchProblem& problem, int solver, int other) {
  const std::optional<double> a = findTime(problem, solver);
  const std::optional<double> b = findTime(problem, other);
  return a && b ? std::optional(*a / *b) : std::nullopt;
}

int findFastestFrom(const BenchResults& results, const BenchProblem& problem, bool peer_only) {
  int best = -1;
  for (int s = 0; s < results.solverCount(); ++s) {
    if (!problem.runs[s].solved || (peer_only && !results.solvers[s].peer)) continue;
    if (best < 0 || problem.runs[s].seconds < problem.runs[best].seconds) best = s;
  }
  return best;
}

}  // namespace

std::span<const SizeGroup> sizeGroups() { return kGroups; }

int findVirtualBest(const BenchResults& results, const BenchProblem& problem) {
  return findFastestFrom(results, problem, true);
}

int findFastest(const BenchResults& results, const BenchProblem& problem) {
  return findFastestFrom(results, problem, false);
}

int countSolved(const BenchResults& results, int solver) {
  return static_cast<int>(std::ranges::count_if(
      results.problems, [&](const BenchProblem& p) { return p.runs[solver].solved; }));
}

int countSolvedByPeer(const BenchResults& results) {
  return static_cast<int>(std::ranges::count_if(
      results.problems, [&](const BenchProblem& p) { return findVirtualBest(results, p) >= 0; }));
}

Mean calcMeanRatio(const BenchResults& results, int solver, int other, const SizeGroup& group) {
  return calcMean(results, group,
                  [&](const BenchProblem& p) { return calcRatio(p, solver, other); });
}

Mean calcMeanRatioToBest(const BenchResults& results, int solver, const SizeGroup& group) {
  return calcMean(results, group, [&](const BenchProblem& p) {
    return calcRatio(p, solver, findVirtualBest(results, p));
  });
}

Mean calcMeanTime(const BenchResults& results, int solver, const SizeGroup& group) {
  return calcMean(results, group, [&](const BenchProblem& p) { return findTime(p, solver); });
}

Mean calcMeanBestTime(const BenchResults& results, const SizeGroup& group) {
  return calcMean(results, group, [&](const BenchProblem& p) {
    return findTime(p, findVirtualBest(results, p));
  });
}

}  // namespace cornet::app
