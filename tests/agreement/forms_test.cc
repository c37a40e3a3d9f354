// Every solver on every problem it supports, in both forms: velocities and certificates agree.
// Impulses are not unique and are not compared.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cornet/solvers/exact.h"
#include "cornet/solvers/gauss_seidel.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

struct Named {
  std::string name;
  ContactProblem problem;
};

std::vector<Named> problems() {
  test::Scene sliding = test::boxOnFloor(0.5);
  sliding.bodies[0].velocity = Vector3d(2.0, 0.7, 0.0);
  test::Scene impact = test::boxStack({1.0, 3.0});
  impact.bodies[1].velocity = Vector3d(0.3, 0.0, -1.0);
  impact.bodies[1].omega = Vector3d(1.0, 0.3, 0.0);
  return {{"sliding box", test::assemble(sliding)},
          {"impact", test::assemble(impact)},
          {"stack", test::assemble(test::boxStack({1.0, 2.0, 4.0}))},
          {"arch", test::assemble(test::arch(7))},
          {"wall", test::assemble(test::brickWall(3, 3))},
          {"pile", test::assemble(test::spherePile(20, 1))}};
}

template <class Options>
Options tightOptions() {
  Options options;
  options.tolerance = 1e-9;
  options.max_seconds = 60.0;
  return options;
}

template <class Solver>
void expectBothFormsAgree(Solver solver) {
  std::pair<double, std::string> worst{0.0, ""};
  for (const auto& [name, problem] : problems()) {
    const DelassusProblem reduced = makeDelassusProblem(problem);
    Solution a, b;
    ASSERT_EQ(solver.solve(problem, a), SolveStatus::solved) << name;
    ASSERT_EQ(solver.solve(reduced, b), SolveStatus::solved) << name;
    const Certificate crossed = certify(problem, b.lambda);
    EXPECT_LE(crossed.relative, 1.01e-9) << name;
    const double difference = (a.u - b.u).cwiseAbs().maxCoeff() / (1.0 + crossed.max_speed);
    if (difference > worst.first) worst = {difference, name};
  }
  EXPECT_LE(worst.first, 1e-7) << "worst: " << worst.second;
}

TEST(Agreement, VelocityFormAndDelassusFormMoveTheBodiesAlike) {
  expectBothFormsAgree(GaussSeidel(tightOptions<GaussSeidelOptions>()));
  expectBothFormsAgree(ExactSolver(tightOptions<ExactOptions>()));
}

}  // namespace
}  // namespace cornet
