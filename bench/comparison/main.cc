// Times the solvers on small problems and stacks, all in one run, and prints one CSV line per solver and
// problem. tools/make_solver_results.py turns it into docs/results/solvers.md.
//
//   cornet_compare > solvers.csv
#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "comparison/cases.h"
#include "cornet/base/stopwatch.h"
#include "cornet/constraints/constraint_solver.h"
#include "cornet/problem/delassus_problem.h"
#include "cornet/solvers/active_set.h"
#include "cornet/solvers/ecos.h"
#include "cornet/solvers/exact.h"
#include "cornet/solvers/gauss_seidel.h"
#ifdef CORNET_WITH_ECOS
#include "cornet/solvers/ecos/use_ecos.h"
#endif

namespace cornet::bench {
namespace {

struct Outcome {
  SolveStatus status = SolveStatus::unsupported;
  int iterations = 0;
  int solves = 1;  // conic solves, or factorizations of exact
  double certificate = 0.0;
};

struct Entry {
  std::string name;
  std::function<bool(const Case&)> takes;
  std::function<Outcome(const Case&)> run;
};

bool always(const Case&) { return true; }
bool ofModestSize(const Case& c) { return c.contacts <= 40; }  // dense pivoting

Outcome outcomeOf(const Solution& solution, int solves) {
  return {solution.status, solution.iterations, solves, solution.certificate.relative};
}

Entry makeExact(const std::string& name, double tolerance) {
  // In use as in a simulation: memory and symbolic analysis are kept.
  ExactOptions options;
  options.tolerance = tolerance;
  auto solver = std::make_shared<ExactSolver>(options);
  return {name, always, [solver](const Case& c) {
            Solution solution;
            solver->solve(c.problem, solution);
            return outcomeOf(solution, solution.factorizations);
          }};
}

Entry makeFreshExact() {
  return {"exact_fresh", always, [](const Case& c) {
            Solution solution;
            ExactSolver().solve(c.problem, solution);
            return outcomeOf(solution, solution.factorizations);
          }};
}

Entry makeActiveSet(const std::string& name, ConeApproximation model) {
  ActiveSetOptions options;
  options.cone_approximation = model;
  return {name, ofModestSize, [solver = ActiveSet(options)](const Case& c) {
            Solution solution;
            solver.solve(c.problem, solution);
            return outcomeOf(solution, 0);
          }};
}

Entry makeEcos(const std::string& name, FrictionModel model, int sweeps) {
  EcosOptions options;
  options.friction_model = model;
  options.max_sweeps = sweeps;
  if (sweeps == 1) options.abs_tol = options.rel_tol = 1e-8;  // its own default
  return {name, always, [solver = EcosSolver(options)](const Case& c) {
            Solution solution;
            EcosReport report;
            solver.solve(c.problem, solution, &report);
            return outcomeOf(solution, report.conic_solves);
          }};
}

double timeOnce(const Entry& entry, const Case& c, Outcome& outcome) {
  const Stopwatch clock;
  outcome = entry.run(c);
  return clock.seconds();
}

// The shortest of several runs; solvers take turns of three runs, so that all see the same machine and
// none pays for the memory another one used.
void compare(const std::vector<Entry>& entries, const Case& c) {
  constexpr double kBudget = 0.04;  // [s] per solver and problem
  std::vector<double> best(entries.size(), std::numeric_limits<double>::infinity());
  std::vector<double> spent(entries.size(), 0.0);
  std::vector<Outcome> outcome(entries.size());
  for (int round = 0; round < 200; ++round) {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (!entries[k].takes(c) || (round >= 3 && spent[k] > kBudget)) continue;
      for (int turn = 0; turn < 3; ++turn) {
        const double seconds = timeOnce(entries[k], c, outcome[k]);
        best[k] = std::min(best[k], seconds);
        spent[k] += seconds;
      }
    }
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (!entries[k].takes(c)) continue;
    fmt::print("{},{},{},{},{},{},{},{:.4e},{},{},{:.3e}\n", c.family, c.motion, c.contacts, c.mu,
               c.mass_ratio, entries[k].name, toString(outcome[k].status), best[k],
               outcome[k].iterations, outcome[k].solves, outcome[k].certificate);
  }
  std::fflush(stdout);
}

int runAll() {
  std::vector<Entry> entries = {makeExact("exact", 1e-8), makeExact("exact_1e-4", 1e-4),
                                makeFreshExact(),
                                makeActiveSet("active_set_box", ConeApproximation::box),
                                makeActiveSet("active_set_octagon", ConeApproximation::polygon)};
#ifdef CORNET_WITH_ECOS
  useEcos();
  entries.push_back(makeEcos("ecos_conic", FrictionModel::convex, 1));
  entries.push_back(makeEcos("ecos_exact", FrictionModel::coulomb, 200));
#else
  fmt::print(stderr, "built without ECOS: its columns are missing\n");
#endif
  fmt::print("family,motion,contacts,mu,mass_ratio,solver,status,seconds,iterations,solves,"
             "certificate\n");
  for (const Case& c : makeCases()) compare(entries, c);
  return 0;
}

}  // namespace
}  // namespace cornet::bench

int main() { return cornet::bench::runAll(); }
