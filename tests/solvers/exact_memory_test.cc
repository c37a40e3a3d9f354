// A solve of a problem with the structure of the last one takes no memory. A program of its own,
// because it replaces the allocator.
#include <gtest/gtest.h>

#include "cornet/solvers/exact.h"
#include "support/allocation_counter.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

template <class Problem>
long countAllocations(ExactSolver& solver, const Problem& problem, Solution& solution) {
  return test::countAllocations([&] { solver.solve(problem, solution); });
}

// The same contacts with other data: solved cold, and from impulses that are nearly right.
template <class Problem>
void expectNoAllocation(Problem problem) {
  ExactSolver solver;
  Solution solution;
  solver.solve(problem, solution);
  ASSERT_GT(solution.factorizations, 0);
  for (const double factor : {1.001, 0.7, 1.0}) {
    const VectorXd warm = solution.lambda;
    if constexpr (std::is_same_v<Problem, ContactProblem>) {
      problem.v_free *= factor;
    } else {
      problem.q *= factor;
    }
    solution.lambda = factor == 1.0 ? VectorXd(VectorXd::Zero(warm.size())) : warm;
    EXPECT_EQ(countAllocations(solver, problem, solution), 0) << factor;
    EXPECT_EQ(solution.status, SolveStatus::solved);
  }
}

TEST(ExactMemory, WarmSolveAllocatesNothing) {
  expectNoAllocation(test::assemble(test::brickWall(4, 4)));
  expectNoAllocation(test::assemble(test::boxStack(std::vector<double>(10, 1.0))));
  expectNoAllocation(makeDelassusProblem(test::assemble(test::arch(9))));
  expectNoAllocation(test::assemble(test::spherePile(30, 4)));
}

}  // namespace
}  // namespace cornet
