#include "problem_solver.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "option_flags.h"

namespace cornet::app {
namespace {

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

// Names of the flags of all solvers, or of the chosen one.
std::vector<std::string> flagsOf(SolverChoice& choice, bool chosen_only) {
  std::vector<std::string> flags;
  visitSolvers(choice, [&](SolverKind, const std::string& name, auto& options) {
    if (chosen_only && name != choice.name) return;
    const std::vector<std::string> more = optionNames(options);
    flags.insert(flags.end(), more.begin(), more.end());
    if (name == "exact") flags.emplace_back("threads");
  });
  return flags;
}

// A flag stands for the option of that name of every solver that has it; it was read into the first.
void shareGivenOptions(Verb verb, SolverChoice& choice) {
  visitSolvers(choice, [&](SolverKind to_kind, const char*, auto& to) {
    bool before = true;
    visitSolvers(choice, [&](SolverKind from_kind, const char*, auto& from) {
      before &= from_kind != to_kind;
      if (before) copyGivenOptions(verb, from, to);
    });
  });
}

}  // namespace

const std::vector<std::string>& frictionSolverNames() {
  static const std::vector<std::string> names = {"exact", "gauss_seidel"};
  return names;
}

void addSolverFlags(Verb verb, SolverChoice& choice) {
  verb.addOption("--solver", choice.name, "solver to use")
      .showDefault()
      .oneOf(solverNames());
  visitSolvers(choice, [&](SolverKind, const char*, auto& options) { addOptionFlags(verb, options); });
  verb.addOption("--threads", choice.threads, "islands solved at the same time (exact)")
      .showDefault()
      .range(1, 1024);
}

void requireSolver(const std::string& name) {
  if (name == "ecos" && ecosBackend() == nullptr) {
    throw UsageError("--solver", ecosMissingText());
  }
}

void finishSolverFlags(Verb verb, SolverChoice& choice) {
  shareGivenOptions(verb, choice);
  requireSolver(choice.name);
  const std::vector<std::string> own = flagsOf(choice, true);
  for (std::string name : flagsOf(choice, false)) {
    const bool given = verb.count("--" + name) > 0;
    if (!given || std::ranges::find(own, name) != own.end()) continue;
    std::ranges::replace(name, '_', '-');
    throw UsageError(
        "--" + name, fmt::format("is no option of the solver {}; leave it out or choose another "
                                 "--solver",
                                 choice.name));
  }
  try {
    makeSolver(findSolver(choice.name).value(), choice);
  } catch (const std::invalid_argument& error) {
    throw UsageError("solve", error.what());
  }
}

Solution solveProblem(const ProblemFile& file, const SolverChoice& choice, bool warm_start,
                      int repeat, std::string* remark) {
  Solver solver = makeSolver(findSolver(choice.name).value(), choice);
  Solution solution = solveRepeatedly(file, solver, warm_start, repeat, choice.exact.interrupt);
  if (remark != nullptr) *remark = solver.ecosReport().message;
  return solution;
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
