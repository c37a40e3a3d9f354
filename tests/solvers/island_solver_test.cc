#include "cornet/solvers/island_solver.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/rigid_scene.h"

namespace cornet {
namespace {

// Many islands, some hard, some trivial.
ContactProblem manyIslands() {
  test::Scene all;
  for (int k = 0; k < 12; ++k) {
    const test::Scene part = k % 3 == 0   ? test::boxStack(std::vector<double>(1 + k, 1.0))
                             : k % 3 == 1 ? test::spherePile(3 * k, 7)
                                          : test::arch(3 + k);
    const int first = static_cast<int>(all.bodies.size());
    all.bodies.insert(all.bodies.end(), part.bodies.begin(), part.bodies.end());
    for (test::Contact contact : part.contacts) {
      if (contact.a >= 0) contact.a += first;
      if (contact.b >= 0) contact.b += first;
      all.contacts.push_back(contact);
    }
  }
  return test::assemble(all);
}

TEST(IslandSolver, SameBitsForOneAndTwoThreads) {
  const ContactProblem problem = manyIslands();
  const DelassusProblem reduced = makeDelassusProblem(problem);
  Solution one, two;
  ASSERT_EQ(IslandSolver({}, 1).solve(problem, one), SolveStatus::solved);
  for (const int threads : {2, 3}) {
    two = {};
    ASSERT_EQ(IslandSolver({}, threads).solve(problem, two), SolveStatus::solved);
    EXPECT_EQ(one.lambda, two.lambda);
    EXPECT_EQ(one.v, two.v);
    EXPECT_EQ(one.factorizations, two.factorizations);
  }
  Solution reduced_one, reduced_two;
  ASSERT_EQ(IslandSolver({}, 1).solve(reduced, reduced_one), SolveStatus::solved);
  ASSERT_EQ(IslandSolver({}, 2).solve(reduced, reduced_two), SolveStatus::solved);
  EXPECT_EQ(reduced_one.lambda, reduced_two.lambda);
}

TEST(IslandSolver, AnIslandThatFailsDoesNotSpoilTheOthers) {
  test::Scene scene = test::boxStack({1.0, 1.0});
  scene.bodies.push_back({});
  scene.contacts.push_back({-1, 2, {-0.5, 0, 0}, Vector3d::UnitX(), 0.5, -0.01});
  scene.contacts.push_back({-1, 2, {0.5, 0, 0}, -Vector3d::UnitX(), 0.5, -0.01});
  Solution solution;
  EXPECT_EQ(IslandSolver().solve(test::assemble(scene), solution), SolveStatus::infeasible);
  for (int i = 0; i < 8; ++i) EXPECT_LE(solution.certificate.blocks[i].relative, 1e-12) << i;
}

}  // namespace
}  // namespace cornet
