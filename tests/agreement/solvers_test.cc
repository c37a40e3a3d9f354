// Solvers held against each other on real problems: those that are shipped, and the public collection
// when CORNET_FCLIB_DIR names it. Velocities are compared, impulses are not unique.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cornet/io/fclib.h"
#include "cornet/solvers/gauss_seidel.h"
#include "cornet/solvers/island_solver.h"

namespace cornet {
namespace {

constexpr double kTolerance = 1e-8;

// A velocity may be off by a few times the certificate.
constexpr double kAgreement = 10.0 * kTolerance;

std::vector<std::filesystem::path> problemFiles() {
  std::vector<std::filesystem::path> folders = {CORNET_SHIPPED_PROBLEMS};
  if (const char* collection = std::getenv("CORNET_FCLIB_DIR")) folders.emplace_back(collection);
  std::vector<std::filesystem::path> files;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

double difference(const Solution& a, const Solution& b) {
  if (a.u.size() == 0) return 0.0;
  const double speed = std::max(a.certificate.max_speed, b.certificate.max_speed);
  return speed > 0.0 ? (a.u - b.u).lpNorm<Eigen::Infinity>() / speed : 0.0;
}

// Whether there is an exact solution close to this one: polished, it stays where it is.
template <class Problem>
bool isSolutionOfItsOwn(const Problem& problem, const Solution& found) {
  ExactOptions options;
  options.tolerance = 1e-3 * kTolerance;
  Solution polished;
  polished.lambda = found.lambda;
  IslandSolver(options).solve(problem, polished);
  return polished.status == SolveStatus::solved && difference(polished, found) < 1e-6;
}

TEST(Agreement, ExactSolverAndGaussSeidelFindTheSameVelocities) {
  double worst = 0.0;
  std::string worst_name = "none";
  int compared = 0;
  for (const auto& path : problemFiles()) {
    const ProblemFile file = readProblem(path);
    const std::string name = path.stem().string();
    GaussSeidelOptions sweeps;
    sweeps.tolerance = kTolerance;
    sweeps.max_seconds = 1.0;
    std::visit(
        [&](const auto& problem) {
          Solution exact, swept;
          ASSERT_EQ(IslandSolver().solve(problem, exact), SolveStatus::solved) << name;
          EXPECT_LE(exact.certificate.field_equilibrated, kTolerance) << name;
          if (GaussSeidel(sweeps).solve(problem, swept) != SolveStatus::solved) return;
          ++compared;
          const double found = difference(exact, swept);
          if (found > kAgreement) {
            EXPECT_TRUE(isSolutionOfItsOwn(problem, swept)) << name << ": differ by " << found;
            fmt::print("{}: two solutions, {:.1e} apart\n", name, found);
          } else if (found > worst) {
            worst = found;
            worst_name = name;
          }
        },
        file.problem);
  }
  fmt::print("{} problems compared; worst {}: {:.1e}\n", compared, worst_name, worst);
}

}  // namespace
}  // namespace cornet
