#include "cornet/problem/diagnosis.h"

#include "support/rigid_scene.h"

namespace cornet {
namespace {

using test::assemble;
using test::Scene;

// Normals only, one contact at the centre of each face.
Scene pointStack(double below, double above) {
  Scene scene;
  scene.bodies = {{below, Matrix3d::Identity() * below}, {above, Matrix3d::Identity() * above}};
  scene.contacts = {{-1, 0, Vector3d::Zero(), Vector3d::UnitZ(), 0.0, 0.0},
                    {0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 0.0, 0.0}};
  return scene;
}

ContactProblem normalsOf(const Scene& scene) {
  ContactProblem cones = assemble(scene);
  ContactProblem problem;
  problem.M = cones.M;
  problem.v_free = cones.v_free;
  problem.J = BlockSparseMatrix(problem.M.offsets());
  for (int i = 0; i < cones.rows.blockCount(); ++i) {
    problem.rows.addUnilateral(1);
    problem.J.appendRow(1);
    for (int k = cones.J.begin(i); k < cones.J.end(i); ++k) {
      problem.J.block(i, problem.J.appendBlock(cones.J.column(k))) = cones.J.block(i, k).topRows(1);
    }
  }
  problem.bias = VectorXd::Zero(problem.rows.rowCount());
  return problem;
}

TEST(Diagnosis, FlatCubeHasSixRedundantRowsOfTwelve) {
  const Diagnosis diagnosis = diagnose(assemble(test::boxOnFloor(0.5)));
  EXPECT_EQ(diagnosis.rows, 12);
  EXPECT_EQ(diagnosis.rank, 6);
  EXPECT_TRUE(diagnosis.exact);
  ASSERT_EQ(diagnosis.trees.size(), 1u);
  EXPECT_EQ(diagnosis.trees[0].redundancy, 6);
  EXPECT_EQ(diagnosis.islands, 1);
  EXPECT_NE(diagnosis.advice.find("6 of 12 rows"), std::string::npos);
}

TEST(Diagnosis, FourCoplanarNormalsHaveRankThree) {
  EXPECT_EQ(diagnose(normalsOf(test::boxOnFloor(0.5))).rank, 3);
}

// One pair of cubes touching at a corner: bounded for any mass ratio. A stack: grows with it.
TEST(Diagnosis, ConditionOfAStackGrowsWithTheMassRatioAndThatOfAPairDoesNot) {
  for (const double ratio : {1e3, 1e6}) {
    EXPECT_NEAR(diagnose(normalsOf(pointStack(1.0, ratio))).condition / (4.0 * ratio), 1.0, 0.01);
    EXPECT_NEAR(diagnose(normalsOf(pointStack(ratio, 1.0))).condition / ratio, 1.0, 0.01);
    EXPECT_NEAR(diagnose(normalsOf(pointStack(1.0, ratio))).mass_ratio, ratio, 1e-9 * ratio);
  }
  // A cube on one corner of the floor: A = I + 6 (|r|² I - r rᵀ), r = (.5, .5, .5): 1 and 1 + 4.5.
  Scene corner;
  corner.bodies = {{1.0, Matrix3d::Identity() / 6.0, {0.5, 0.5, 0.5}}};
  corner.contacts = {{-1, 0, Vector3d::Zero(), Vector3d::UnitZ(), 0.5, 0.0}};
  EXPECT_NEAR(diagnose(assemble(corner)).condition, 5.5, 1e-12);
}

TEST(Diagnosis, EffectiveMassOfAPointIsItsMass) {
  Scene scene;
  scene.bodies = {{3.0}};
  scene.contacts = {{-1, 0, Vector3d::Zero(), Vector3d::UnitZ(), 0.5, 0.0}};
  const Diagnosis diagnosis = diagnose(assemble(scene));
  EXPECT_NEAR(diagnosis.effective_mass_min, 3.0, 1e-14);
  EXPECT_EQ(diagnosis.condition, 1.0);
  EXPECT_EQ(diagnosis.redundancy(), 0);
  EXPECT_NE(diagnosis.advice.find("Well conditioned"), std::string::npos);
}

// The estimate for large problems against all eigenvalues of the same one in its other form.
TEST(Diagnosis, EstimateOfALargeProblemIsALowerBoundNearTheTruth) {
  const ContactProblem wall = assemble(test::brickWall(4, 4));
  const Diagnosis small = diagnose(wall);
  ASSERT_TRUE(small.exact);
  const ContactProblem large = assemble(test::brickWall(8, 8));
  const Diagnosis estimate = diagnose(large);
  EXPECT_FALSE(estimate.exact);
  EXPECT_GE(estimate.rank, 6 * 64);
  EXPECT_GT(estimate.condition, 10.0);
  EXPECT_LE(estimate.rank, large.dofCount());
}

TEST(Diagnosis, DelassusFormSaysTheSameOfTheMatrix) {
  const ContactProblem problem = assemble(test::boxStack({1.0, 10.0}));
  const Diagnosis velocity = diagnose(problem);
  const Diagnosis delassus = diagnose(makeDelassusProblem(problem));
  EXPECT_EQ(velocity.rank, delassus.rank);
  EXPECT_NEAR(velocity.condition / delassus.condition, 1.0, 1e-6);
  EXPECT_TRUE(delassus.trees.empty());
}

TEST(Diagnosis, ProblemWithoutRowsHasNothingToSay) {
  ContactProblem problem;
  EXPECT_NE(diagnose(problem).advice.find("No rows"), std::string::npos);
}

}  // namespace
}  // namespace cornet
