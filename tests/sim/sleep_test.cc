// Optional sleep: what rests is left alone, and wakes when something happens to it.
#include <gtest/gtest.h>

#include "support/stepped_world.h"

namespace cornet {
namespace {

constexpr double kStep = 5e-3;
constexpr double kG = 9.81;

// Two boxes, one upon the other.
struct Stack : test::SteppedWorld {
  Stack() {
    options.sleep_time = 0.2;
    world.addEnvironment({"floor", {test::part(HalfSpace{})}});
    addCube({0, 0, 0.1});
    addCube({0, 0, 0.3});
  }
  int addCube(const Vector3d& position, const Vector3d& velocity = {0, 0, 0}) {
    return addBox({0.1, 0.1, 0.1}, position, velocity);
  }
  // A force on a body from 0.5 s on, when both boxes have slept.
  void push(int body, const Vector3d& force) {
    Load load;
    load.body = body;
    load.force = force;
    load.begin = 0.5;
    world.addLoad(load);
  }
  void run(double duration) { SteppedWorld::run(duration, kStep); }
  bool sleeps() const { return last.sleeping_islands == last.islands && last.islands > 0; }
};

TEST(Sleep, IsOffUnlessAskedFor) {
  Stack stack;
  stack.options.sleep_time = 0.0;
  stack.run(1.0);
  EXPECT_EQ(stack.last.sleeping_islands, 0);
  EXPECT_TRUE(stack.memory.rest.empty());
}

TEST(Sleep, WhatRestsIsLeftAloneAndStillCarries) {
  Stack stack;
  stack.run(0.15);
  EXPECT_FALSE(stack.sleeps());
  stack.run(0.15);
  ASSERT_TRUE(stack.sleeps());
  EXPECT_EQ(stack.last.iterations + stack.last.factorizations, 0);
  double floor = 0.0;
  for (const ContactOutcome& contact : stack.simulator->contacts()) {
    const bool on_floor = contact.a == 2 || contact.b == 2;
    if (on_floor) floor += contact.normalImpulse();
  }
  EXPECT_NEAR(floor, 2.0 * kG * kStep, 1e-12);
  const State before = stack.state;
  stack.run(1.0);
  EXPECT_TRUE(stack.sleeps());
  EXPECT_EQ(stack.state.body(1).position, before.body(1).position);
}

TEST(Sleep, AThrownBoxWakesWhatItHits) {
  Stack stack;
  // 2 m away at 4 m/s: it meets the upper box in half a second, at its height.
  stack.addCube({-2.2, 0.0, 0.3 + 0.5 * kG * 0.25}, {4.0, 0.0, 0.0});
  stack.run(0.45);
  EXPECT_EQ(stack.last.sleeping_islands, 1);
  EXPECT_EQ(stack.state.body(1).velocity.norm(), 0.0);
  stack.run(0.1);
  EXPECT_EQ(stack.last.sleeping_islands, 0);
  EXPECT_GT(stack.state.body(1).velocity.x(), 0.5);
}

TEST(Sleep, WhatLosesItsSupportFalls) {
  Stack stack;
  // The lower box is pulled from under the upper one, after both have slept.
  stack.world.materials.setPair(0, 0, {0.1, 0.0});
  stack.push(0, {60.0, 0.0, 0.0});
  stack.run(0.4);
  ASSERT_TRUE(stack.sleeps());
  stack.run(1.0);
  EXPECT_LT(stack.state.body(1).position.z(), 0.25);
}

TEST(Sleep, SurroundingsThatBeginToMoveWake) {
  Stack stack;
  const Path descent{{0.0, 0.5, 1.0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, -0.2}}};
  stack.world.addEnvironment({"plate", {{Box({0.2, 0.2, 0.05}), Pose()}}, {1.0, 0.0, 0.25},
                              Quaterniond::Identity(), descent});
  const int box = stack.addCube({1.0, 0.0, 0.4});
  stack.run(0.45);
  EXPECT_TRUE(stack.sleeps());
  stack.run(0.5);
  EXPECT_NEAR(stack.state.body(box).position.z(), 0.4 - 0.4 * 0.45, 1e-9);
}

TEST(Sleep, ALoadThatBeginsWakesAtOnce) {
  Stack stack;
  stack.push(1, {8.0, 0.0, 0.0});
  stack.run(0.45);
  ASSERT_TRUE(stack.sleeps());
  stack.run(0.15);
  // a = F/m - μ g
  EXPECT_NEAR(stack.state.body(1).velocity.x() - stack.state.body(0).velocity.x(), 0.1 * (8.0 - 0.5 * kG), 1e-9);
}

TEST(Sleep, ABodyGivenAVelocityWakes) {
  Stack stack;
  stack.run(0.5);
  ASSERT_TRUE(stack.sleeps());
  stack.state.setVelocity(1, {0.5, 0, 0}, {0, 0, 0});
  stack.run(kStep);
  EXPECT_FALSE(stack.sleeps());
  EXPECT_NEAR(stack.state.body(1).velocity.x(), 0.5 - 0.5 * kG * kStep, 1e-12);
}

TEST(Sleep, IsPartOfWhatAStepRemembers) {
  Stack one;
  one.run(0.1);
  Stack two;
  two.begin();
  two.state = one.state;
  two.memory = one.memory;
  one.run(0.5);
  two.run(0.5);
  EXPECT_EQ(hashOf(one.state), hashOf(two.state));
  EXPECT_EQ(hashOf(one.memory), hashOf(two.memory));
  StepMemory other = one.memory;
  other.rest[0].seconds += 1.0;
  EXPECT_NE(hashOf(other), hashOf(one.memory));
}

}  // namespace
}  // namespace cornet
