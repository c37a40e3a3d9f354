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

// ECOS with a place for its report.
struct RemarkingEcos {
  EcosSolver solver;
  EcosReport* report;
  template <class Problem>
  void solve(const Problem& problem, Solution& solution) const {
    solver.solve(problem, solution, report);
  }
};

}  // namespace

const std::vector<std::string>& solverNames() {
  static const std::vector<std::string> names = {"exact", "gauss_seidel", "active_set", "ecos"};
  return names;
}

const std::vector<std::string>& frictionSolverNames() {
  static const std::vector<std::string> names = {"exact", "gauss_seidel"};
  return names;
}

void SolverChoice::setTolerance(double tolerance) {
  exact.tolerance = gauss_seidel.tolerance = active_set.tolerance = ecos.tolerance = tolerance;
}

void SolverChoice::setMaxSeconds(double seconds) {
  exact.max_seconds = gauss_seidel.max_seconds = ecos.max_seconds = seconds;
}

void SolverChoice::setInterrupt(const std::atomic<bool>* interrupt) {
  exact.interrupt = gauss_seidel.interrupt = active_set.interrupt = ecos.interrupt = interrupt;
}

void addSolverFlags(CLI::App& verb, SolverChoice& choice) {
  verb.add_option("--solver", choice.name, "solver to use")
      ->capture_default_str()
      ->check(CLI::IsMember(solverNames()));
  addOptionFlags(verb, choice.exact);
  addOptionFlags(verb, choice.gauss_seidel);
  addOptionFlags(verb, choice.ecos);
  verb.add_option("--threads", choice.threads, "islands solved at the same time (exact)")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
}

void requireSolver(const std::string& name) {
  if (name == "ecos" && ecosBackend() == nullptr) {
    throw CLI::ValidationError("--solver", ecosMissingText());
  }
}

void finishSolverFlags(const CLI::App& verb, SolverChoice& choice) {
  copySharedOptions(choice.exact, choice.gauss_seidel);
  copySharedOptions(choice.gauss_seidel, choice.active_set);
  copySharedOptions(choice.exact, choice.ecos);
  // The default of this flag is a number of sweeps, far too many for an interior point.
  if (verb.get_option("--max_iterations")->count() > 0) {
    choice.ecos.max_iterations = choice.gauss_seidel.max_iterations;
  }
  requireSolver(choice.name);
  std::vector<std::string> own;
  if (choice.name == "exact") own = optionNames(choice.exact);
  if (choice.name == "gauss_seidel") own = optionNames(choice.gauss_seidel);
  if (choice.name == "active_set") own = optionNames(choice.active_set);
  if (choice.name == "ecos") own = optionNames(choice.ecos);
  if (choice.name == "exact") own.emplace_back("threads");
  std::vector<std::string> all = optionNames(choice.exact);
  for (const auto& more : {optionNames(choice.gauss_seidel), optionNames(choice.ecos)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  all.emplace_back("threads");
  for (std::string name : all) {
    const bool given = verb.get_option("--" + name)->count() > 0;
    if (!given || std::ranges::find(own, name) != own.end()) continue;
    std::ranges::replace(name, '_', '-');
    throw CLI::ValidationError(
        "--" + name, fmt::format("is no option of the solver {}; leave it out or choose another "
                                 "--solver",
                                 choice.name));
  }
  try {
    if (choice.name == "exact") {
      ExactSolver{choice.exact};
    } else if (choice.name == "gauss_seidel") {
      GaussSeidel{choice.gauss_seidel};
    } else if (choice.name == "ecos") {
      EcosSolver{choice.ecos};
    } else {
      ActiveSet{choice.active_set};
    }
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("solve", error.what());
  }
}

Solution solveProblem(const ProblemFile& file, const SolverChoice& choice, bool warm_start,
                      int repeat, std::string* remark) {
  if (choice.name == "exact") {
    IslandSolver solver(choice.exact, choice.threads);
    return solveRepeatedly(file, solver, warm_start, repeat, choice.exact.interrupt);
  }
  if (choice.name == "active_set") {
    const ActiveSet solver(choice.active_set);
    return solveRepeatedly(file, solver, warm_start, repeat, choice.active_set.interrupt);
  }
  if (choice.name == "ecos") {
    EcosReport report;
    const RemarkingEcos solver{EcosSolver(choice.ecos), &report};
    Solution solution = solveRepeatedly(file, solver, warm_start, repeat, choice.ecos.interrupt);
    if (remark != nullptr) *remark = report.message;
    return solution;
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
