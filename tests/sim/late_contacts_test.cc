// Contacts that only the kick makes: what is hit flies on within the step, and meets what free motion keeps away.
#include "cornet/sim/late_contacts.h"

#include <gtest/gtest.h>

#include "cornet/sim/reach.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::part;
using test::SteppedWorld;

// Nothing pulls, nothing rebounds, nothing rubs.
struct Space : SteppedWorld {
  explicit Space(double mu = 0.0) {
    world.materials.add({"default", mu, 0.0});
    world.gravity.setZero();
  }
  double momentum() const {
    double sum = 0.0;
    for (int i = 0; i < world.bodyCount(); ++i) sum += world.body(i).mass().mass * body(i).velocity.x();
    return sum;
  }
};

TEST(LateContacts, ABallInARowPassesAHitOnWithinTheStep) {
  const double R = 0.05, gap = 1e-3, v0 = 5.0, h = 1e-2;
  Space row;
  for (int k = 0; k < 3; ++k) row.addSphere(R, {k * (2.0 * R + gap), 0, 0}, {k == 0 ? v0 : 0.0, 0, 0});
  row.step(h);
  for (int k = 0; k < 2; ++k) {
    EXPECT_GT(row.body(k + 1).position.x() - row.body(k).position.x(), 2.0 * R - 1e-9) << k;
    // A gap may close as fast as it lasts to the end of the step.
    EXPECT_GE(row.body(k + 1).velocity.x(), row.body(k).velocity.x() - gap / h - 1e-12) << k;
  }
  EXPECT_GT(row.body(2).velocity.x(), 1.0);
  EXPECT_NEAR(row.momentum(), v0, 1e-12);
  row.step(h);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(row.body(k).velocity.x(), v0 / 3.0, 1e-12) << k;
  EXPECT_EQ(row.unsolved, 0);
}

TEST(LateContacts, ABoxThrownByTheKickMeetsTheNextOne) {
  // A heavy ball sends the first box 5 cm far; the second stands 1 cm away, out of reach for what is at rest.
  const double h = 1e-2, v0 = 6.0, mass = 20.0;
  Space line;
  line.addSphere(0.1, {-0.105, 0, 0}, {v0, 0, 0}, {0, 0, 0}, mass);
  line.addBox({0.05, 0.05, 0.05}, {0.05, 0, 0});
  line.addBox({0.05, 0.05, 0.05}, {0.16, 0, 0});
  line.step(h);
  EXPECT_GT(line.body(2).velocity.x(), 1.0);
  EXPECT_GT(line.body(2).position.x() - line.body(1).position.x(), 0.1 - 1e-9);
  EXPECT_NEAR(line.momentum(), mass * v0, 1e-10);
  EXPECT_EQ(line.unsolved, 0);
  // No contact with it was there when the step began.
  int late = 0;
  for (const ContactOutcome& contact : line.simulator->contacts()) late += contact.b == 2 && contact.is_late;
  EXPECT_GT(late, 0);
}

TEST(LateContacts, WhatIsSolvedAgainCountsAllItsRounds) {
  const AssetInertial asset = AssetInertial::fromMass("body", {part(Sphere{0.1})}, 1.0);
  std::vector<StepBody> bodies(6);
  for (StepBody& body : bodies) body.asset = &asset;
  std::vector<StepContact> contacts(3);
  for (int k = 0; k < 3; ++k) {
    contacts[k].a = 2 * k;
    contacts[k].b = 2 * k + 1;
  }
  std::vector<StepConstraint> constraints;
  const StepView view{0.0, 1e-3, bodies, contacts, constraints};
  StepIslands islands;
  islands.split(true, view);
  ASSERT_EQ(islands.all().size(), 3u);
  int cost = 1;
  for (Island& island : islands.all()) {
    island.report.iterations = island.report.factorizations = cost;
    island.is_done = true;
    cost *= 10;
  }
  StepContact late;
  late.a = 1;
  late.b = 4;
  contacts.push_back(late);
  islands.split(false, view);
  ASSERT_EQ(islands.all().size(), 2u);
  const Island& joined = islands.all()[0];
  const Island& left = islands.all()[1];
  EXPECT_FALSE(joined.is_done);
  EXPECT_EQ(joined.report.iterations, 101);
  EXPECT_EQ(joined.report.factorizations, 101);
  EXPECT_TRUE(left.is_done);
  EXPECT_EQ(left.report.iterations, 10);
}

// ---- how far bodies may get

TEST(Reach, OfALongBodyThatTurnsIsThatOfItsEnds) {
  const AssetInertial rod = AssetInertial::fromMass("rod", {part(Box({1.0, 0.01, 0.01}))}, 1.0);
  std::vector<StepBody> bodies(1);
  bodies[0].asset = &rod;
  bodies[0].radius = rod.radius();
  bodies[0].start.velocity = {3, 0, 0};
  bodies[0].start.omega = {0, 0, 40};
  Reach reach;
  reach.reset(bodies);
  EXPECT_GE(reach.speed(0), 43.0);
  EXPECT_LE(reach.speed(0), 43.1);
}

TEST(Reach, SpreadsFromBodyToBodyAsFarAsAHitMayGo) {
  const AssetInertial asset = AssetInertial::fromMass("body", {part(Sphere{0.1})}, 1.0);
  std::vector<StepBody> bodies(5);
  for (StepBody& body : bodies) body.asset = &asset;
  bodies[4].asset = nullptr;  // surroundings stay where they are
  bodies[0].start.velocity = {5, 0, 0};
  ContactSet found;
  const auto addPair = [&](int a, int b, double gap) {
    found.body_a.push_back(a);
    found.body_b.push_back(b);
    found.gap.push_back(gap);
  };
  addPair(1, 2, 1e-3);
  addPair(0, 1, 1e-3);
  addPair(2, 3, 0.2);  // further than two bodies at 5 m/s get in 10 ms
  addPair(2, 4, 1e-3);
  Reach reach;
  reach.reset(bodies);
  std::vector<double> margins(5, 1e-4);
  EXPECT_TRUE(reach.spread(found, 1e-2, 1e-4, margins));
  for (const int i : {0, 1, 2}) {
    EXPECT_EQ(reach.speed(i), 5.0) << i;
    EXPECT_GE(margins[i], 1e-2 * 5.0) << i;
  }
  for (const int i : {3, 4}) {
    EXPECT_EQ(reach.speed(i), 0.0) << i;
    EXPECT_EQ(margins[i], 1e-4) << i;
  }
  EXPECT_FALSE(reach.spread(found, 1e-2, 1e-4, margins));
}

TEST(Reach, TheEndOfALongRodHitsWhatItSweepsOver) {
  // Its end is at 40 m/s; the ball lies 0.25 m ahead of it, and is met in the first step of 10 ms.
  const double h = 1e-2, omega = 40.0;
  Space space;
  space.addBox({1.0, 0.02, 0.02}, {0, 0, 0}, {0, 0, 0}, {0, 0, omega}, 10.0);
  space.addSphere(0.02, {0.9, 0.25, 0});
  space.step(h);
  EXPECT_GT(space.body(1).velocity.y(), 10.0);
  const Vector3d seen = space.body(0).orientation.conjugate() * (space.body(1).position - space.body(0).position);
  EXPECT_GT(seen.y(), 0.04 - 2e-3);  // in front of the rod, not behind it; it turns by 0.4 rad
}

TEST(Reach, ATurningPaddleHitsWhatItSweepsOver) {
  // Moved as prescribed, 30 rad/s; the ball lies 0.2 m ahead of it and is met in the first step of 10 ms.
  const double h = 1e-2, omega = 30.0;
  Space space;
  space.world.addEnvironment({"paddle", {part(Box({1.0, 0.02, 0.02}))}, {0, 0, 0}, Quaterniond::Identity(),
                              SteadyMotion{{0, 0, 0}, {0, 0, omega}}});
  space.addSphere(0.02, {0.9, 0.2, 0});
  space.step(h);
  const Vector3d velocity = space.body(0).velocity;
  EXPECT_GT(velocity.norm(), 0.9 * 0.9 * omega);
  EXPECT_LT(velocity.norm(), 1.1 * 0.9 * omega);
  const Vector3d seen = expMap(Vector3d(0, 0, -h * omega)) * space.body(0).position;
  EXPECT_GT(seen.y(), 0.04 - 2e-3);
}

// ---- patches act at one point

TEST(JoinedPoints, BodiesThatTurnTogetherSlipNowhereHoweverDeepTheyOverlap) {
  const double half = 0.1;
  for (const double depth : {0.0, 1e-3, 1e-2}) {
    Space pair(0.5);
    pair.options.max_parts = 1;  // what overlaps deeply is lifted in parts otherwise
    const Vector3d omega(3, -2, 1);
    const Vector3d above(0, 0, 2.0 * half - depth);
    pair.addBox({half, half, half}, {0, 0, 0}, {0, 0, 0}, omega);
    pair.addBox({half, half, half}, above, omega.cross(above), omega);
    pair.step(1e-3);
    ASSERT_GE(pair.simulator->contacts().size(), 4u);
    const Vector3d middle = above + 0.5e-3 * omega.cross(above);  // of the second box at the kick
    for (const ContactOutcome& contact : pair.simulator->contacts()) {
      EXPECT_LT((middle + contact.arm_b - contact.arm_a).norm(), 1e-14) << depth;  // both surfaces feel it at one point
      EXPECT_LT(contact.tangentImpulse().norm(), 1e-12) << depth;
    }
  }
}

TEST(JoinedPoints, LieHalfwayBetweenTheSurfaces) {
  Vector3d a(0, 0, 1), b(2, 0, -1);
  joinPoints(a, b);
  EXPECT_EQ(a, Vector3d(1, 0, 0));
  EXPECT_EQ(b, a);
}

}  // namespace
}  // namespace cornet
