#include "problem_solver.h"

#include <algorithm>
#include <stdexcept>

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

// Calls visit(name, options) for every solver, in the order in which they are offered.
template <class Visitor>
void visitSolvers(SolverChoice& choice, Visitor&& visit) {
  visit("exact", choice.exact);
  visit("gauss_seidel", choice.gauss_seidel);
  visit("active_set", choice.active_set);
  visit("cholesky", choice.cholesky);
  visit("ecos", choice.ecos);
}

// What solves with given options; a solver that is not there is built all the same.
ExactSolver makeSolver(const ExactOptions& options) { return ExactSolver(options); }
GaussSeidel makeSolver(const GaussSeidelOptions& options) { return GaussSeidel(options); }
ActiveSet makeSolver(const ActiveSetOptions& options) { return ActiveSet(options); }
CholeskySolver makeSolver(const CholeskyOptions& options) { return CholeskySolver(options); }
EcosSolver makeSolver(const EcosOptions& options) { return EcosSolver(options); }

// ECOS with a place for its report.
struct RemarkingEcos {
  EcosSolver solver;
  EcosReport* report;
  template <class Problem>
  void solve(const Problem& problem, Solution& solution) const {
    solver.solve(problem, solution, report);
  }
};

// Names of the flags of all solvers, or of the chosen one.
std::vector<std::string> flagsOf(SolverChoice& choice, bool chosen_only) {
  std::vector<std::string> flags;
  visitSolvers(choice, [&](const std::string& name, auto& options) {
    if (chosen_only && name != choice.name) return;
    const std::vector<std::string> more = optionNames(options);
    flags.insert(flags.end(), more.begin(), more.end());
    if (name == "exact") flags.emplace_back("threads");
  });
  return flags;
}

// A flag stands for the option of that name of every solver that has it; it was read into the first.
void shareGivenOptions(Verb verb, SolverChoice& choice) {
  visitSolvers(choice, [&](const std::string& to_name, auto& to) {
    bool before = true;
    visitSolvers(choice, [&](const std::string& from_name, auto& from) {
      before &= from_name != to_name;
      if (before) copyGivenOptions(verb, from, to);
    });
  });
}

}  // namespace

const std::vector<std::string>& solverNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    SolverChoice choice;
    visitSolvers(choice, [&](const std::string& name, auto&) { list.push_back(name); });
    return list;
  }();
  return names;
}

const std::vector<std::string>& frictionSolverNames() {
  static const std::vector<std::string> names = {"exact", "gauss_seidel"};
  return names;
}

void SolverChoice::setTolerance(double tolerance) {
  visitSolvers(*this, [&](const std::string&, auto& options) { options.tolerance = tolerance; });
}

void SolverChoice::setMaxSeconds(double seconds) {
  exact.max_seconds = gauss_seidel.max_seconds = ecos.max_seconds = seconds;
}

void SolverChoice::setInterrupt(const std::atomic<bool>* interrupt) {
  exact.interrupt = gauss_seidel.interrupt = active_set.interrupt = ecos.interrupt = interrupt;
}

void addSolverFlags(Verb verb, SolverChoice& choice) {
  verb.addOption("--solver", choice.name, "solver to use")
      .showDefault()
      .oneOf(solverNames());
  visitSolvers(choice, [&](const std::string&, auto& options) { addOptionFlags(verb, options); });
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
    visitSolvers(choice, [&](const std::string& name, auto& options) {
      if (name == choice.name) makeSolver(options);
    });
  } catch (const std::invalid_argument& error) {
    throw UsageError("solve", error.what());
  }
}

Solution solveProblem(const ProblemFile& file, const SolverChoice& choice, bool warm_start,
                      int repeat, std::string* remark) {
  const std::atomic<bool>* interrupt = choice.exact.interrupt;
  if (choice.name == "exact") {
    IslandSolver solver(choice.exact, choice.threads);
    return solveRepeatedly(file, solver, warm_start, repeat, interrupt);
  }
  if (choice.name == "ecos") {
    EcosReport report;
    const RemarkingEcos solver{EcosSolver(choice.ecos), &report};
    Solution solution = solveRepeatedly(file, solver, warm_start, repeat, interrupt);
    if (remark != nullptr) *remark = report.message;
    return solution;
  }
  Solution solution;
  SolverChoice copy = choice;
  visitSolvers(copy, [&](const std::string& name, auto& options) {
    if (name != choice.name) return;
    auto solver = makeSolver(options);
    solution = solveRepeatedly(file, solver, warm_start, repeat, interrupt);
  });
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
