// Solvers by their names.
#include "cornet/solvers/solver.h"

#include <gtest/gtest.h>

#include "support/rigid_scene.h"

namespace cornet {
namespace {

TEST(MakeSolver, EveryNameIsThatOfASolver) {
  for (const std::string& name : solverNames()) {
    ASSERT_TRUE(findSolver(name)) << name;
    EXPECT_NO_THROW(makeSolver(*findSolver(name))) << name;
  }
  EXPECT_FALSE(findSolver("newton"));
}

TEST(MakeSolver, WordsOfStepsAreNamesInTheOrderOfTheirValues) {
  const std::vector<std::string> words = wordsOf(SolverKind{});
  for (std::size_t k = 0; k < words.size(); ++k) EXPECT_EQ(findSolver(words[k]), static_cast<SolverKind>(k));
}

TEST(MakeSolver, RefusesOptionsOfItsOwnSolverOnly) {
  SolverOptions options;
  options.gauss_seidel.tolerance = -1.0;
  EXPECT_THROW(makeSolver(SolverKind::gauss_seidel, options), std::invalid_argument);
  EXPECT_NO_THROW(makeSolver(SolverKind::exact, options));
}

TEST(MakeSolver, SolvesWithTheBitsOfTheSolverItself) {
  const ContactProblem problem = test::assemble(test::boxStack({1.0, 3.0, 2.0}));
  Solution named, own;
  makeSolver(SolverKind::gauss_seidel).solve(problem, named);
  GaussSeidel().solve(problem, own);
  EXPECT_EQ(named.lambda, own.lambda);
  SolverOptions options;
  options.split_islands = false;
  Solution direct;
  makeSolver(SolverKind::exact, options).solve(problem, direct);
  Solution exact;
  ExactSolver().solve(problem, exact);
  EXPECT_EQ(direct.lambda, exact.lambda);
}

TEST(SolverOptions, BudgetsEndASolve) {
  SolverOptions options;
  options.setBudget(1);
  Solution solution;
  EXPECT_EQ(makeSolver(SolverKind::gauss_seidel, options).solve(test::assemble(test::boxStack({1.0, 3.0, 2.0})), solution), SolveStatus::max_iterations);
  EXPECT_EQ(options.exact.max_factorizations, 1);
}

}  // namespace
}  // namespace cornet
