#include "bench/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "bench/ranking.h"
#include "solve_report.h"

namespace cornet::app {
namespace {

constexpr int kCellWidth = 14;

// The columns of one of our solvers: time and certificate.
std::string ownCell(const BenchRun& run) {
  const std::string time = run.solved ? timeText(run.seconds) : "not solved";
  return fmt::format("  {:>10}  {:>11.1e}", time, run.certificate);
}

// Time of the peer's fastest solver, its name, and how we compare.
std::string bestCell(const BenchResults& results, const BenchProblem& problem) {
  const int best = findVirtualBest(results, problem);
  if (best < 0) return fmt::format("  {:>10}  {:<11}  {:>6}", "not solved", "-", "-");
  const BenchRun& run = problem.runs[best];
  const BenchRun& judged = problem.runs.front();
  const std::string ratio =
      judged.solved ? fmt::format("{:.3g}", judged.seconds / run.seconds) : "-";
  return fmt::format("  {:>10}  {:<11}  {:>6}", timeText(run.seconds), results.solvers[best].name,
                     ratio);
}

std::string meanCell(const Mean& mean, bool time) {
  if (mean.count == 0) return fmt::format("{:>{}}", "-", kCellWidth);
  const std::string value = time ? timeText(mean.value) : fmt::format("{:.3g}", mean.value);
  return fmt::format("{:>{}}", fmt::format("{} ({})", value, mean.count), kCellWidth);
}

std::string solvedCell(const BenchResults& results, int solved) {
  return fmt::format("{:>9}", fmt::format("{}/{}", solved, results.problems.size()));
}

std::size_t solverWidth(const BenchResults& results) {
  std::size_t width = results.peer.size() + 9;  // "siconos, fastest"
  for (const BenchSolver& solver : results.solvers) width = std::max(width, solver.name.size());
  return width;
}

std::string unsolvedLines(const BenchResults& results) {
  std::string text;
  for (int s = 0; s < results.solverCount() && !results.solvers[s].peer; ++s) {
    std::string names;
    for (const BenchProblem& problem : results.problems) {
      if (!problem.runs[s].solved) names += (names.empty() ? "" : ", ") + problem.name;
    }
    if (names.empty()) continue;
    text += fmt::format("{} did not solve: {}\n", results.solvers[s].name, names);
  }
  return text;
}

// Our solvers beside the virtual best: ratios if there is one, times otherwise.
std::string ownSummary(const BenchResults& results) {
  const std::size_t width = solverWidth(results);
  const bool time = results.peer.empty();
  std::string text = fmt::format("{:<{}}  {:>8} ", "solver", width, "solved");
  for (const SizeGroup& group : sizeGroups()) {
    text += fmt::format("{:>{}}", group.label, kCellWidth);
  }
  text += time ? "   geometric mean of the time (problems solved)\n"
               : fmt::format("   geometric mean of time / fastest of {} (problems both solved)\n",
                             results.peer);
  for (int s = 0; s < results.solverCount() && !results.solvers[s].peer; ++s) {
    text += fmt::format("{:<{}} {} ", results.solvers[s].name, width,
                        solvedCell(results, countSolved(results, s)));
    for (const SizeGroup& group : sizeGroups()) {
      text += meanCell(time ? calcMeanTime(results, s, group)
                            : calcMeanRatioToBest(results, s, group), time);
    }
    text += '\n';
  }
  if (time) return text;
  text += fmt::format("{:<{}} {} ", results.peer + ", fastest", width,
                      solvedCell(results, countSolvedByPeer(results)));
  for (const SizeGroup& group : sizeGroups()) {
    text += meanCell(calcMeanBestTime(results, group), true);
  }
  return text + "   geometric mean of its time\n";
}

// One line per solver of the peer: all problems, one column per solver of ours.
std::string peerSummary(const BenchResults& results) {
  const std::size_t width = solverWidth(results);
  std::string text = fmt::format("\n{:<{}}  {:>8} ", results.peer, width, "solved");
  for (int s = 0; !results.solvers[s].peer; ++s) {
    text += fmt::format("{:>{}}", results.solvers[s].name, kCellWidth);
  }
  text += "   geometric mean of our time / its time (problems both solved)\n";
  for (int p = 0; p < results.solverCount(); ++p) {
    if (!results.solvers[p].peer) continue;
    text += fmt::format("{:<{}} {} ", results.solvers[p].name, width,
                        solvedCell(results, countSolved(results, p)));
    for (int s = 0; !results.solvers[s].peer; ++s) {
      text += meanCell(calcMeanRatio(results, s, p, sizeGroups().front()), false);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string benchHeader(const BenchResults& results, std::size_t name_width) {
  std::string solvers = fmt::format("{:<{}}  {:>8}", "", name_width, "");
  std::string columns = fmt::format("{:<{}}  {:>8}", "problem", name_width, "contacts");
  for (const BenchSolver& solver : results.solvers) {
    if (solver.peer) break;
    solvers += fmt::format("  {:>23}", solver.name);
    columns += fmt::format("  {:>10}  {:>11}", "time", "certificate");
  }
  if (!results.peer.empty()) {
    const auto count = std::ranges::count(results.solvers, true, &BenchSolver::peer);
    solvers += fmt::format("  {:>10}, fastest of {}", results.peer, count);
    columns += fmt::format("  {:>10}  {:<11}  {:>6}", "time", "solver", "ratio");
  }
  return solvers + '\n' + columns;
}

std::string benchLine(const BenchResults& results, const BenchProblem& problem,
                      std::size_t name_width) {
  std::string line = fmt::format("{:<{}}  {:>8}", problem.name, name_width, problem.contacts);
  for (int s = 0; s < results.solverCount() && !results.solvers[s].peer; ++s) {
    line += ownCell(problem.runs[s]);
  }
  return results.peer.empty() ? line : line + bestCell(results, problem);
}

std::string benchSummary(const BenchResults& results) {
  const std::size_t total = results.problems.size();
  std::string text = fmt::format("{} problem{}, tolerance {:g}\n\n", total, total == 1 ? "" : "s",
                                 results.tolerance);
  text += ownSummary(results) + unsolvedLines(results);
  if (!results.peer.empty()) text += peerSummary(results);
  return text;
}

}  // namespace cornet::app
