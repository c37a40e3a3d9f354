#include "cornet/problem/contact_problem.h"

#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "cornet/math/islands.h"
#include "support/rigid_scene.h"

namespace cornet {
namespace {

std::string complaint(const ContactProblem& problem) {
  try {
    problem.validate();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(ContactProblem, AcceptsAssembledScenesAndNothing) {
  EXPECT_EQ(complaint(test::assemble(test::boxStack({1.0, 2.0}))), "");
  EXPECT_EQ(complaint(test::assemble(test::brickWall(2, 2))), "");
  EXPECT_EQ(complaint(test::assemble({})), "");
}

TEST(ContactProblem, NamesTheEntryThatIsNotFinite) {
  ContactProblem problem = test::assemble(test::boxOnFloor(0.5));
  problem.v_free[2] = kNaN;
  EXPECT_TRUE(mentions(complaint(problem), "v_free[2]"));
  problem = test::assemble(test::boxOnFloor(0.5));
  problem.bias[3] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(mentions(complaint(problem), "bias[3] is inf"));
  problem = test::assemble(test::boxOnFloor(0.5));
  problem.J.block(1, problem.J.begin(1))(0, 0) = kNaN;
  EXPECT_TRUE(mentions(complaint(problem), "J["));
  problem = test::assemble(test::boxOnFloor(0.5));
  problem.M.block(0)(1, 1) = kNaN;
  EXPECT_TRUE(mentions(complaint(problem), "mass block 0"));
}

TEST(ContactProblem, NamesSizesThatDisagree) {
  ContactProblem problem = test::assemble(test::boxOnFloor(0.5));
  problem.bias.conservativeResize(11);
  EXPECT_TRUE(mentions(complaint(problem), "bias has 11 entries where 12"));
  problem = test::assemble(test::boxOnFloor(0.5));
  problem.rows.addCone(0.5);
  EXPECT_TRUE(mentions(complaint(problem), "J rows has 12 entries where 15"));
  problem = test::assemble(test::boxOnFloor(0.5));
  problem.dt = -1.0;
  EXPECT_TRUE(mentions(complaint(problem), "dt is -1"));
}

TEST(ContactProblem, RefusesAMassThatIsNotPositiveDefinite) {
  ContactProblem problem = test::assemble(test::boxStack({1.0, 1.0}));
  problem.M.block(1)(2, 2) = -1.0;
  EXPECT_TRUE(mentions(complaint(problem), "mass block 1 (degrees of freedom 6 to 11)"));
  problem = test::assemble(test::boxOnFloor(0.5));
  problem.M.block(0)(0, 1) = 0.1;
  EXPECT_TRUE(mentions(complaint(problem), "not symmetric"));
}

TEST(ContactProblem, TreesThatShareABlockAreOneIslandTheWorldJoinsNone) {
  test::Scene scene = test::boxStack({1.0, 1.0});     // two cubes, connected
  const test::Scene single = test::boxOnFloor(0.5);   // a third, alone
  for (test::Contact contact : single.contacts) {
    contact.b = 2;
    scene.contacts.push_back(contact);
  }
  scene.bodies.push_back(single.bodies.front());
  Islands islands;
  islands.split(test::assemble(scene).J);
  const std::vector<int> island = islands.ofRow();
  ASSERT_EQ(island.size(), 12u);
  for (int i = 1; i < 8; ++i) EXPECT_EQ(island[i], island[0]);
  for (int i = 9; i < 12; ++i) EXPECT_EQ(island[i], island[8]);
  EXPECT_NE(island[0], island[8]);
}

TEST(ContactProblem, IdenticalMeansBitEqual) {
  const ContactProblem a = test::assemble(test::boxOnFloor(0.5));
  ContactProblem b = a;
  EXPECT_TRUE(identical(a, b));
  b.v_free[0] = -0.0;
  EXPECT_FALSE(identical(a, b));
}

}  // namespace
}  // namespace cornet
