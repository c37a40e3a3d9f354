#include "cornet/problem/certificate.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "support/rigid_scene.h"

namespace cornet {
namespace {

// Blocks that do not touch each other: W = I, so u = λ + q and every answer is known.
DelassusProblem decoupled(const ConstraintRows& rows, const VectorXd& q) {
  DelassusProblem problem;
  problem.rows = rows;
  problem.W = BlockSparseMatrix(rows.offsets());
  for (int i = 0; i < rows.blockCount(); ++i) {
    problem.W.appendRow(rows.size(i));
    const int k = problem.W.appendBlock(i);
    problem.W.block(i, k).setIdentity();
  }
  problem.q = q;
  problem.bias = VectorXd::Zero(q.size());
  problem.validate();
  return problem;
}

VectorXd vector(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

DelassusProblem oneCone(double mu, const VectorXd& q) {
  ConstraintRows rows;
  rows.addCone(mu);
  return decoupled(rows, q);
}

TEST(Certificate, ExactSolutionsOfEveryLawScoreZero) {
  ConstraintRows rows;
  rows.addCone(0.5);                    // sticks
  rows.addCone(0.5);                    // slides
  rows.addCone(0.5);                    // open
  rows.addCone(0.0);                    // frictionless, slides
  rows.addCone(kInfinity);              // sticks whatever the pull
  rows.addCone(kInfinity);              // open, carries nothing
  rows.addEquality(2);
  rows.addUnilateral(2);                // one row pushes, one separates
  const std::vector<double> lower = {-1.0, -1.0, -1.0};
  const std::vector<double> upper = {1.0, 1.0, 1.0};
  rows.addBox(lower, upper);            // inside, at the lower and at the upper bound
  VectorXd q(25), lambda(25);
  q << -1, 0.2, 0, -1, 3, 4, 1, 5, 5, -1, 9, 9, -1, 50, 0, 1, 2, 3, 0.3, -0.4, -1, 1, 0.5, 3, -3;
  lambda << 1, -0.2, 0, 1, -0.3, -0.4, 0, 0, 0, 1, 0, 0, 1, -50, 0, 0, 0, 0, -0.3, 0.4, 1, 0, -0.5,
      -1, 1;
  const Certificate certificate = certify(decoupled(rows, q), lambda);
  EXPECT_LE(certificate.relative, 1e-15);
  EXPECT_LE(certificate.absolute_velocity, 1e-15);
  EXPECT_LE(certificate.field_raw, 1e-15);
  EXPECT_LE(certificate.cone_violation, 1e-15);
  EXPECT_TRUE(certificate.solved(1e-12));
}

// A given effort at rest: nothing moves on its own, and yet no impulse is no solution.
TEST(Certificate, AnImpulseThatMustBeGivenIsMissed) {
  ConstraintRows rows;
  rows.addEquality(1);
  const std::vector<double> given = {0.25};
  rows.addBox(given, given);
  const DelassusProblem problem = decoupled(rows, VectorXd::Zero(2));
  EXPECT_NEAR(certify(problem, vector({0.0, 0.0})).relative, 1.0, 1e-15);
  EXPECT_EQ(certify(problem, vector({0.0, 0.25})).relative, 0.0);
}

TEST(Certificate, MeasuresEachKindOfViolationInMetresPerSecond) {
  const auto error = [](double mu, const VectorXd& q, const VectorXd& lambda) {
    return certify(oneCone(mu, q), lambda).absolute_velocity;
  };
  EXPECT_NEAR(error(0.5, vector({-1, 0, 0}), vector({0, 0, 0})), 1.0, 1e-15);    // sinks at 1 m/s
  EXPECT_NEAR(error(0.5, vector({-1, 0, 0}), vector({1.01, 0, 0})), 0.01, 1e-15);  // pushed away
  EXPECT_GT(error(0.5, vector({-1, 0.1, 0}), vector({1, 0, 0})), 0.05);          // creeps
  EXPECT_GT(error(0.5, vector({-1, 3, 0}), vector({1, 0.5, 0})), 0.5);           // friction pushes
  EXPECT_GT(error(0.5, vector({1, 0, 0}), vector({-0.5, 0, 0})), 0.4);           // contact pulls
  EXPECT_GT(error(0.0, vector({-1, 1, 0}), vector({1, -0.1, 0})), 0.09);         // friction at μ = 0
  EXPECT_GT(error(kInfinity, vector({1, 1, 0}), vector({0, -1, 0})), 0.9);       // open, carries
}

// Two joints that pull at each other with 2³⁶ N s, and leave the body 2⁻¹³ m/s, which a difference of impulses tells to a tenth.
TEST(Certificate, SeesVelocitiesBesideImpulsesInBalance) {
  ConstraintRows rows;
  rows.addEquality(1);
  rows.addUnilateral(1);
  rows.addCone(0.5);
  DelassusProblem problem;
  problem.rows = rows;
  problem.W = BlockSparseMatrix(rows.offsets());
  MatrixXd W = MatrixXd::Zero(5, 5);
  W.topLeftCorner<3, 3>() << 1, -1, -1, -1, 1, 1, -1, 1, 1;
  W.bottomRightCorner<2, 2>().setIdentity();
  for (int i = 0; i < 3; ++i) {
    problem.W.appendRow(rows.size(i));
    for (int j = 0; j < 3; ++j) {
      problem.W.block(i, problem.W.appendBlock(j)) = W.block(rows.offset(i), rows.offset(j), rows.size(i), rows.size(j));
    }
  }
  const double speed = std::ldexp(1.0, -13), large = std::ldexp(1.0, 36);
  problem.q = vector({1.0, -1.0, -1.0, 0.0, 0.0});
  problem.bias = VectorXd::Zero(5);
  problem.validate();
  const Certificate certificate = certify(problem, vector({3.0 * large - 1.0 + speed, large, 2.0 * large, 0.0, 0.0}));
  EXPECT_NEAR(certificate.blocks[0].velocity, speed, 1e-12);
  EXPECT_NEAR(certificate.blocks[1].velocity, speed, 1e-12);
  EXPECT_NEAR(certificate.blocks[2].velocity, speed, 1e-12);
}

TEST(Certificate, AContactThatSinksIsSeenWhateverItsFriction) {
  for (const double mu : {0.0, 0.5, 10.0, 1e3, 1e8, kInfinity}) {
    const Certificate certificate = certify(oneCone(mu, vector({-1, 1, 0})), VectorXd::Zero(3));
    EXPECT_GE(certificate.absolute_velocity, 1.0 - 1e-12) << mu;
    EXPECT_GE(certificate.relative, 0.7) << mu;
  }
}

TEST(Certificate, TheConvexModelFailsTheCoulombCertificateWhenItSlides) {
  // b = (1.5, -5, 0), μ = 0.5 with W = 0.1 I: the two models' exact answers.
  DelassusProblem problem = oneCone(0.5, vector({-1.5, 5.0, 0.0}));
  problem.W.block(0, 0) *= 0.1;
  const VectorXd convex = vector({32.0, -16.0, 0.0});
  const VectorXd coulomb = vector({15.0, -7.5, 0.0});
  EXPECT_LE(certify(problem, coulomb).relative, 1e-15);
  EXPECT_GT(certify(problem, convex).relative, 0.1);
  EXPECT_LE(certify(problem, convex, FrictionModel::convex).relative, 1e-15);
  EXPECT_GT(certify(problem, coulomb, FrictionModel::convex).relative, 0.1);
}

TEST(Certificate, RelativeErrorDoesNotDependOnUnits) {
  std::mt19937 random(71);
  std::normal_distribution<double> normal;
  const test::Scene scene = test::boxStack({1.0, 3.0});
  const ContactProblem problem = test::assemble(scene);
  const VectorXd lambda = VectorXd::NullaryExpr(24, [&] { return 0.05 * normal(random); });
  const double expected = certify(problem, lambda).relative;
  for (const double mass_unit : {1e-6, 1e3}) {
    for (const double speed_unit : {1e-4, 1e5}) {
      ContactProblem scaled = problem;
      for (int i = 0; i < 2; ++i) scaled.M.block(i) *= mass_unit;
      scaled.v_free *= speed_unit;
      scaled.bias *= speed_unit;
      EXPECT_NEAR(certify(scaled, mass_unit * speed_unit * lambda).relative, expected,
                  1e-12 * expected);
    }
  }
}

TEST(Certificate, BothFormsGiveTheSameScore) {
  std::mt19937 random(72);
  std::normal_distribution<double> normal;
  ContactProblem problem = test::assemble(test::brickWall(2, 2));
  for (double& R : problem.rows.compliance) R = 0.01;
  const DelassusProblem reduced = makeDelassusProblem(problem);
  const VectorXd lambda =
      VectorXd::NullaryExpr(problem.rows.rowCount(), [&] { return 0.1 * normal(random); });
  const Certificate a = certify(problem, lambda);
  const Certificate b = certify(reduced, lambda);
  EXPECT_NEAR(a.relative, b.relative, 1e-11 * a.relative);
  EXPECT_NEAR(a.field_raw, b.field_raw, 1e-11);
  EXPECT_NEAR(a.field_equilibrated, b.field_equilibrated, 1e-11);
  EXPECT_NEAR(a.energy.kinetic_change, b.energy.kinetic_change, 1e-10);
  EXPECT_EQ(a.worst_block, b.worst_block);
}

TEST(Certificate, KineticEnergyChangeIsThatOfTheBodies) {
  std::mt19937 random(73);
  std::normal_distribution<double> normal;
  ContactProblem problem = test::assemble(test::boxStack({1.0, 2.0}));
  for (double& R : problem.rows.compliance) R = 0.02;
  problem.bias.setConstant(0.3);
  const VectorXd lambda =
      VectorXd::NullaryExpr(problem.rows.rowCount(), [&] { return normal(random); });
  Certifier certifier(problem);
  Certificate certificate;
  certifier.certify(lambda, certificate);
  VectorXd Mv, Mv_free;
  problem.M.multiply(certifier.v(), Mv);
  problem.M.multiply(problem.v_free, Mv_free);
  const double change =
      0.5 * certifier.v().dot(Mv) - 0.5 * problem.v_free.dot(Mv_free);
  EXPECT_NEAR(certificate.energy.kinetic_change, change, 1e-12 * std::abs(change) + 1e-12);
}

TEST(Certificate, NamesTheWorstBlock) {
  ConstraintRows rows;
  for (int i = 0; i < 3; ++i) rows.addCone(0.5, {Origin::Kind::contact, i});
  VectorXd q(9), lambda(9);
  q << -1, 0, 0, -1, 0, 0, -1, 0, 0;
  lambda << 1, 0, 0, 0.5, 0, 0, 0.9, 0, 0;
  const Certificate certificate = certify(decoupled(rows, q), lambda);
  EXPECT_EQ(certificate.worst_block, 1);
  EXPECT_NEAR(certificate.relative, 0.5, 1e-15);
  EXPECT_NEAR(certificate.blocks[2].relative, 0.1, 1e-15);
  EXPECT_NEAR(certificate.blocks[2].velocity, 0.1, 1e-15);
}

TEST(Certificate, AFastIslandDoesNotHideTheErrorOfASlowOne) {
  ConstraintRows rows;
  rows.addCone(0.5);
  rows.addCone(0.5);
  VectorXd q(6), lambda(6);
  q << -1000, 0, 0, -0.001, 0, 0;
  lambda << 1000, 0, 0, 0, 0, 0;  // the slow contact is ignored
  EXPECT_NEAR(certify(decoupled(rows, q), lambda).relative, 1.0, 1e-12);
}

TEST(Certificate, OpenContactsFarAwayDoNotRaiseTheReference) {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.contacts.push_back({-1, 0, {0, 0, 0}, Vector3d::UnitZ(), 0.5, 1000.0});  // 1e5 m/s of bias
  const Certificate certificate = certify(test::assemble(scene), VectorXd::Zero(15));
  EXPECT_GT(certificate.relative, 0.1);
}

TEST(Certificate, ATraceOfImpulseOnAnOpenContactDoesNotRaiseTheReference) {
  ConstraintRows rows;
  rows.addCone(0.5);
  rows.addCone(0.5);
  DelassusProblem problem;
  problem.rows = rows;
  problem.W = BlockSparseMatrix(rows.offsets());
  for (int i = 0; i < 2; ++i) {  // one island
    problem.W.appendRow(3);
    for (int j = 0; j < 2; ++j) {
      const int k = problem.W.appendBlock(j);
      problem.W.block(i, k) = (i == j ? 1.0 : 1e-3) * Matrix3d::Identity();
    }
  }
  problem.q = vector({-1, 0, 0, 1e9, 0, 0});
  problem.bias = VectorXd::Zero(6);
  EXPECT_GT(certify(problem, vector({0.9, 0, 0, 1e-30, 0, 0})).relative, 0.05);
}

TEST(Certificate, TheRoundingFloorIsThatOfTheIsland) {
  ConstraintRows rows;
  rows.addCone(0.5);
  rows.addCone(0.5);
  const DelassusProblem problem = decoupled(rows, vector({-1e-3, 0, 0, 1e10, 0, 0}));
  EXPECT_FALSE(certify(problem, VectorXd::Zero(6)).solved(1e-8));
}

TEST(Certificate, TinyImpulsesDoNotUnderflow) {
  DelassusProblem problem = oneCone(0.5, vector({-1e-3, 0, 0}));
  problem.W.block(0, 0) *= 1e200;
  EXPECT_NEAR(certify(problem, VectorXd::Zero(3)).relative, 1.0, 1e-12);
}

TEST(Certificate, RotationalRowsCountWithTheirLever) {
  ConstraintRows rows;
  rows.addEquality(1);
  rows.lever[0] = 0.25;  // [m]: 1 rad/s is 0.25 m/s
  const Certificate certificate = certify(decoupled(rows, vector({1.0})), vector({0.0}));
  EXPECT_NEAR(certificate.absolute_velocity, 0.25, 1e-15);
}

TEST(Certificate, NothingHappeningScoresZeroAndGarbageOnZeroDataDoesNot) {
  EXPECT_EQ(certify(oneCone(0.5, VectorXd::Zero(3)), VectorXd::Zero(3)).relative, 0.0);
  EXPECT_GT(certify(oneCone(0.5, VectorXd::Zero(3)), vector({1, 0, 0})).relative, 0.5);
  EXPECT_FALSE(certify(oneCone(0.5, VectorXd::Zero(3)), vector({-1, 0, 0})).solved(1e-3));
  const Certificate empty = certify(DelassusProblem{}, VectorXd());
  EXPECT_EQ(empty.relative, 0.0);
  EXPECT_EQ(empty.worst_block, -1);
  EXPECT_TRUE(empty.solved(0.0));
}

TEST(Certificate, ImpulsesThatAreNotFiniteAreNeverSolved) {
  const VectorXd bad = vector({std::numeric_limits<double>::quiet_NaN(), 0, 0});
  const Certificate certificate = certify(oneCone(0.5, vector({-1, 0, 0})), bad);
  EXPECT_EQ(certificate.relative, kInfinity);
  EXPECT_EQ(certificate.worst_block, 0);
  EXPECT_FALSE(certificate.solved(1e300));
}

TEST(Certificate, WhatOverflowsIsNeverSolved) {
  for (const double size : {1e155, 1e200, 1e300}) {
    EXPECT_FALSE(certify(oneCone(0.5, vector({-1, 0, 0})), VectorXd::Constant(3, size)).solved(1.0));
    const VectorXd q = size * vector({-1, 1, 0});
    EXPECT_FALSE(certify(oneCone(0.5, q), VectorXd::Zero(3)).solved(0.5)) << size;
  }
}

TEST(Certificate, RefusesTheWrongNumberOfImpulses) {
  EXPECT_THROW(certify(oneCone(0.5, VectorXd::Zero(3)), VectorXd::Zero(4)), std::invalid_argument);
}

TEST(Certificate, RoundingFloorCountsAsSolved) {
  const Certificate certificate =
      certify(oneCone(0.5, vector({-1e-13, 0, 0})), VectorXd::Zero(3));
  EXPECT_NEAR(certificate.relative, 1.0, 1e-12);  // all of the data is unsolved,
  EXPECT_TRUE(certificate.solved(1e-8));          // but it is 1e-13 m/s
}

// The field's measure written out for one contact: independent of the implementation's loops.
TEST(Certificate, FieldMeasureFollowsItsDefinition) {
  DelassusProblem problem = oneCone(0.5, vector({-1.0, 2.0, 0.0}));
  problem.W.block(0, 0) *= 4.0;
  const VectorXd lambda = vector({0.3, -0.1, 0.0});
  // u = 4 λ + q = (0.2, 1.6, 0), û = (1.0, 1.6, 0), λ - û = (-0.7, -1.7, 0).
  // Projection on K_0.5: n = (-0.7 + 0.85)/1.25 = 0.12, t = -0.06.
  const double residual = std::hypot(0.3 - 0.12, -0.1 + 0.06);
  EXPECT_NEAR(certify(problem, lambda).field_raw, residual / std::hypot(1.0, 2.0), 1e-15);
  // Equilibrated by d = 4: û/4 = (0.25, 0.4, 0), λ - û/4 = (0.05, -0.5, 0).
  // Projection: n = (0.05 + 0.25)/1.25 = 0.24, t = -0.12; ‖q‖/4 = 0.559 is the largest norm.
  const double scaled = std::hypot(0.3 - 0.24, -0.1 + 0.12);
  EXPECT_NEAR(certify(problem, lambda).field_equilibrated, scaled / (std::hypot(1.0, 2.0) / 4),
              1e-15);
}

}  // namespace
}  // namespace cornet
