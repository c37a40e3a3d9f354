#include "problem_solver.h"

#include <algorithm>
#include <stdexcept>

#include <CLI/Error.hpp>
#include <fmt/format.h>

#include "cornet/solvers/island_solver.h"
#include "option_flags.h"

namespace cornet::app {
namespace {

template <class Solver>
Solution solveRepeatedly(const ProblemFile& file, Solver& solver, bool warm_start, int repeat,
                         const std::atomic<bool>* interrupt) {
  Solution best;
  for (int k = 0; k < repeat && (k == 0 || !(interrupt && *interrupt)); ++k) {
    Solution solution;
    if (warm_start) solution.lambda = file.warm_impulse;
    std::visit([&](const auto& problem) { solver.solve(problem, solution); }, file.problem);
    if (k > 0 && interrupt != nullptr && *interrupt) break;  // this run was cut short
    if (k == 0 || solution.seconds < best.seconds) best = std::move(solution);
  }
  return best;
}

}  // namespace

const std::vector<std::string>& solverNames() {
  static const std::vector<std::string> names = {"exact", "gauss_seidel"};
  return names;
}

void SolverChoice::setTolerance(double tolerance) {
  exact.tolerance = gauss_seidel.tolerance = tolerance;
}

void SolverChoice::setMaxSeconds(double seconds) {
  exact.max_seconds = gauss_seidel.max_seconds = seconds;
}

void SolverChoice::setInterrupt(const std::atomic<bool>* interrupt) {
  exact.interrupt = gauss_seidel.interrupt = interrupt;
}

void addSolverFlags(CLI::App& verb, SolverChoice& choice) {
  verb.add_option("--solver", choice.name, "solver to use")
      ->capture_default_str()
      ->check(CLI::IsMember(solverNames()));
  addOptionFlags(verb, choice.exact);
  addOptionFlags(verb, choice.gauss_seidel);
  verb.add_option("--threads", choice.threads, "islands solved at the same time (exact)")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
}

void finishSolverFlags(const CLI::App& verb, SolverChoice& choice) {
  copySharedOptions(choice.exact, choice.gauss_seidel);
  const bool exact = choice.name == "exact";
  std::vector<std::string> foreign =
      exact ? foreignFlags(verb, choice.exact, choice.gauss_seidel)
            : foreignFlags(verb, choice.gauss_seidel, choice.exact);
  if (!exact && verb.get_option("--threads")->count() > 0) foreign.emplace_back("threads");
  if (!foreign.empty()) {
    std::ranges::replace(foreign.front(), '_', '-');
    throw CLI::ValidationError(
        "--" + foreign.front(),
        fmt::format("is no option of the solver {}; leave it out or choose --solver {}", choice.name,
                    exact ? "gauss_seidel" : "exact"));
  }
  try {
    if (exact) {
      ExactSolver{choice.exact};
    } else {
      GaussSeidel{choice.gauss_seidel};
    }
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("solve", error.what());
  }
}

Solution solveProblem(const ProblemFile& file, const SolverChoice& choice, bool warm_start,
                      int repeat) {
  if (choice.name == "exact") {
    IslandSolver solver(choice.exact, choice.threads);
    return solveRepeatedly(file, solver, warm_start, repeat, choice.exact.interrupt);
  }
  const GaussSeidel solver(choice.gauss_seidel);
  return solveRepeatedly(file, solver, warm_start, repeat, choice.gauss_seidel.interrupt);
}

Solution scoreImpulses(const ProblemFile& file, const VectorXd& impulses,
                       const SolverChoice& choice) {
  Solution solution;
  solution.lambda = impulses;
  std::visit(
      [&](const auto& problem) {
        Certifier certifier(problem, choice.exact.friction_model);
        certifier.certify(impulses, solution.certificate);
        solution.v = certifier.v();
        solution.u = certifier.u();
      },
      file.problem);
  solution.status = solution.certificate.solved(choice.tolerance()) ? SolveStatus::solved
                                                                    : SolveStatus::inaccurate;
  return solution;
}

}  // namespace cornet::app
