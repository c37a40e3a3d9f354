#include "cornet/problem/constraint_rows.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cornet {
namespace {

ConstraintRows oneOfEach() {
  ConstraintRows rows;
  rows.addCone(0.5, {Origin::Kind::contact, 7});
  rows.addEquality(3, {Origin::Kind::joint, 2});
  rows.addUnilateral(1);
  const std::vector<double> lower = {-2.0, 0.0};
  const std::vector<double> upper = {2.0, std::numeric_limits<double>::infinity()};
  rows.addBox(lower, upper, {Origin::Kind::motor, 0});
  return rows;
}

// Runs validate and returns the text of the error, or nothing.
std::string complaint(const ConstraintRows& rows) {
  try {
    rows.validate();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ConstraintRows, NumbersBlocksAndRowsInOrder) {
  const ConstraintRows rows = oneOfEach();
  EXPECT_EQ(rows.blockCount(), 4);
  EXPECT_EQ(rows.rowCount(), 9);
  EXPECT_EQ(rows.offset(2), 6);
  EXPECT_EQ(rows.size(3), 2);
  EXPECT_EQ(complaint(rows), "");
}

TEST(ConstraintRows, NamesWhereABlockComesFrom) {
  EXPECT_EQ(toString(oneOfEach().origin[0]), "contact 7");
  EXPECT_EQ(toString(Origin{}), "no origin");
}

TEST(ConstraintRows, RefusesValuesOutOfRangeByName) {
  ConstraintRows rows = oneOfEach();
  rows.mu[0] = -0.1;
  EXPECT_NE(complaint(rows).find("block 0 (cone, contact 7): friction coefficient -0.1"),
            std::string::npos);
  rows = oneOfEach();
  rows.mu[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(complaint(rows), "");
  rows = oneOfEach();
  rows.lower[7] = 3.0;
  EXPECT_NE(complaint(rows).find("[3, 2]"), std::string::npos);
  rows = oneOfEach();
  rows.compliance[4] = -1.0;
  EXPECT_NE(complaint(rows).find("joint 2"), std::string::npos);
  rows = oneOfEach();
  rows.lever[4] = 0.0;
  EXPECT_NE(complaint(rows).find("lever 0"), std::string::npos);
  rows = oneOfEach();
  rows.lever[1] = 2.0;  // a cone compares its rows: they must all be velocities
  EXPECT_NE(complaint(rows).find("lever 2"), std::string::npos);
}

TEST(ConstraintRows, RefusesArraysOfTheWrongLength) {
  ConstraintRows rows = oneOfEach();
  rows.mu.clear();
  EXPECT_NE(complaint(rows).find("rows.mu has 0 entries where 4"), std::string::npos);
  rows = oneOfEach();
  rows.lever.push_back(1.0);
  EXPECT_NE(complaint(rows).find("rows.lever has 10"), std::string::npos);
}

TEST(ConstraintRows, RefusesBlocksOfTheWrongSize) {
  ConstraintRows rows;
  EXPECT_THROW(rows.addEquality(0), std::invalid_argument);
  EXPECT_THROW(rows.addUnilateral(7), std::invalid_argument);
  const std::vector<double> one = {0.0};
  const std::vector<double> two = {1.0, 1.0};
  EXPECT_THROW(rows.addBox(one, two), std::invalid_argument);
}

TEST(ConstraintRows, InfiniteFrictionIsAllowed) {
  ConstraintRows rows;
  rows.addCone(std::numeric_limits<double>::infinity());
  EXPECT_EQ(complaint(rows), "");
}

}  // namespace
}  // namespace cornet
