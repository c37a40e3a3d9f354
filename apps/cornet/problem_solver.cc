#include "problem_solver.h"

#include <algorithm>

namespace cornet::app {

const std::vector<std::string>& solverNames() {
  static const std::vector<std::string> names = {"gauss_seidel"};
  return names;
}

void requireValid(const SolverChoice& choice) { GaussSeidel{choice.options}; }

Solution solveProblem(const ProblemFile& file, const SolverChoice& choice, bool warm_start,
                      int repeat) {
  const GaussSeidel solver(choice.options);
  Solution best;
  const auto stopped = [&] { return choice.options.interrupt && *choice.options.interrupt; };
  for (int k = 0; k < repeat && (k == 0 || !stopped()); ++k) {
    Solution solution;
    if (warm_start) solution.lambda = file.warm_impulse;
    std::visit([&](const auto& problem) { solver.solve(problem, solution); }, file.problem);
    if (k == 0 || solution.seconds < best.seconds) best = std::move(solution);
  }
  return best;
}

Solution scoreImpulses(const ProblemFile& file, const VectorXd& impulses,
                       const SolverChoice& choice) {
  Solution solution;
  solution.lambda = impulses;
  std::visit(
      [&](const auto& problem) {
        Certifier certifier(problem, choice.options.friction_model);
        certifier.certify(impulses, solution.certificate);
        solution.v = certifier.v();
        solution.u = certifier.u();
      },
      file.problem);
  solution.status = solution.certificate.solved(choice.options.tolerance) ? SolveStatus::solved
                                                                          : SolveStatus::inaccurate;
  return solution;
}

}  // namespace cornet::app
