#include "bench/time_solver.h"

#include "bench/repetition.h"
#include "interrupt.h"

namespace cornet::app {
namespace {

BenchRun describeRun(const Solution& solution, double tolerance) {
  const Certificate& certificate = solution.certificate;
  BenchRun run;
  const bool certified = solution.status == SolveStatus::solved;
  run.solved = certified && certificate.field_equilibrated <= tolerance;
  run.status = toString(certified && !run.solved ? SolveStatus::inaccurate : solution.status);
  run.certificate = certificate.relative;
  run.field = certificate.field_equilibrated;
  run.iterations = solution.iterations;
  run.factorizations = solution.factorizations;
  return run;
}

}  // namespace

BenchRun timeSolver(const ProblemFile& file, const SolverChoice& choice, int repeat) {
  BenchRun run;
  for (Repetition repetition(repeat); !repetition.enough() && !interrupted;) {
    const Solution solution = solveProblem(file, choice, false, 1);
    repetition.add(solution.seconds);
    if (repetition.count() == 1) run = describeRun(solution, choice.tolerance());
    run.seconds = repetition.shortest();
    if (!run.solved) break;  // how long a failure takes interests nobody twice
  }
  return run;
}

}  // namespace cornet::app
