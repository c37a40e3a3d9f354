// 100,000 small problems with all laws mixed, each with a solution by construction. What is not solved
// is written to a file, to be solved again with `cornet solve`, and listed by kind.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cornet/io/fclib.h"
#include "cornet/solvers/island_solver.h"
#include "support/random_problem.h"

namespace cornet {
namespace {

#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
constexpr int kProblems = 5'000;
#else
constexpr int kProblems = 100'000;
#endif
constexpr double kShareSolved = 0.999;
constexpr double kTolerance = 1e-8;
const std::filesystem::path kFolder = std::filesystem::path(CORNET_TEST_OUTPUT) / "exact_failures";

// The laws of a problem as a word: "cone equality box".
std::string lawsOf(const ConstraintRows& rows) {
  std::string words;
  for (const LawKind kind :
       {LawKind::cone, LawKind::equality, LawKind::unilateral, LawKind::box}) {
    if (std::ranges::count(rows.kind, kind) == 0) continue;
    words += fmt::format("{}{}", words.empty() ? "" : " ", toString(kind));
  }
  return words;
}

class Failures {
 public:
  void add(int number, const ContactProblem& problem, const Solution& solution) {
    ++count_;
    ++kinds_[fmt::format("{}, {}", toString(solution.status), lawsOf(problem.rows))];
    std::filesystem::create_directories(folder_);
    ProblemFile file;
    file.problem = problem;
    writeProblem(folder_ / fmt::format("random_{}.hdf5", number), file);
  }
  int count() const { return count_; }
  void print() const {
    for (const auto& [kind, count] : kinds_) fmt::print("  {:4d}  {}\n", count, kind);
    if (count_ > 0) fmt::print("  files: {}\n", std::filesystem::absolute(folder_).string());
  }

 private:
  std::filesystem::path folder_ = kFolder;
  std::map<std::string, int> kinds_;
  int count_ = 0;
};

TEST(ExactRandom, SolvesSmallProblemsWithAllLawsMixed) {
  std::filesystem::remove_all(kFolder);
  std::mt19937_64 random(2024);
  test::RandomProblemOptions generator;
  generator.infinite_friction = false;  // need not have a solution
  ExactOptions options;
  options.tolerance = kTolerance;
  IslandSolver solver(options);
  Failures failures;
  for (int k = 0; k < kProblems; ++k) {
    const ContactProblem problem = test::makeRandomProblem(random, generator);
    Solution solution;
    if (k % 2 == 0) {
      solver.solve(problem, solution);
    } else {
      solver.solve(makeDelassusProblem(problem), solution);
    }
    ASSERT_TRUE(solution.lambda.allFinite() && solution.u.allFinite()) << "problem " << k;
    EXPECT_NE(solution.status, SolveStatus::infeasible) << "problem " << k;
    if (solution.status != SolveStatus::solved) failures.add(k, problem, solution);
  }
  fmt::print("{} of {} problems not solved to {:g}\n", failures.count(), kProblems, kTolerance);
  failures.print();
  EXPECT_LE(failures.count(), std::ceil((1.0 - kShareSolved) * kProblems));
}

// With μ = ∞ a problem need not have a solution; whatever comes out is finite and truthful.
TEST(ExactRandom, InfiniteFrictionIsSolvedOrSaidNotToBe) {
  std::mt19937_64 random(7);
  IslandSolver solver;
  for (int k = 0; k < kProblems / 50; ++k) {
    const ContactProblem problem = test::makeRandomProblem(random);
    Solution solution;
    solver.solve(problem, solution);
    ASSERT_TRUE(solution.lambda.allFinite()) << "problem " << k;
    const bool solved = certify(problem, solution.lambda).solved(kTolerance);
    EXPECT_EQ(solution.status == SolveStatus::solved, solved) << "problem " << k;
  }
}

}  // namespace
}  // namespace cornet
