// Optional sleep: what rests is left alone, and wakes when something happens to it.
#include <functional>

#include <gtest/gtest.h>

#include "support/gravity.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::kG;

constexpr double kSleepStep = 5e-3;

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
  void run(double duration) { SteppedWorld::run(duration, kSleepStep); }
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
  EXPECT_NEAR(floor, 2.0 * kG * kSleepStep, 1e-12);
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
  stack.run(kSleepStep);
  EXPECT_FALSE(stack.sleeps());
  EXPECT_NEAR(stack.state.body(1).velocity.x(), 0.5 - 0.5 * kG * kSleepStep, 1e-12);
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

// Two boxes that lie on the floor side by side, with a hinge between them whose axis is along the floor.
struct HingedPair : test::SteppedWorld {
  explicit HingedPair(const HingeOptions& more = {}) {
    options.sleep_time = 0.2;
    addBox({0.1, 0.1, 0.1}, {0.0, 0.0, 0.1});
    addBox({0.1, 0.1, 0.1}, {0.25, 0.0, 0.1});
    HingeOptions hinge = more;
    hinge.anchor = {0.125, 0.0, 0.1};
    hinge.axis = {0, 1, 0};
    complete = [this, hinge] {
      world.addEnvironment({"floor", {test::part(HalfSpace{})}});
      joint = world.addHinge(0, 1, hinge);
    };
  }
  void run(double duration, const StepInputs& inputs = {}) {
    if (!simulator) {
      complete();
      begin();
    }
    for (long k = std::lround(duration / kSleepStep); k > 0; --k) last = simulator->step(kSleepStep, inputs, state, memory);
  }
  bool sleeps() const { return last.sleeping_islands == last.islands && last.islands > 0; }
  const JointOutcome& outcome() const { return simulator->joints()[static_cast<std::size_t>(joint)]; }
  std::function<void()> complete;  // joints come after all bodies
  int joint = -1;
};

// A motor that presses one box to the floor by the hinge: the joint carries something.
HingeOptions pressing() { return {.motor = {.speed = 1.0, .max_effort = 0.3}}; }

TEST(Sleep, JointsThatRestSleepAndStillCarry) {
  HingedPair pair(pressing());
  pair.run(0.15);
  ASSERT_FALSE(pair.sleeps());
  const JointOutcome awake = pair.outcome();
  const std::vector<ContactOutcome> contacts = pair.simulator->contacts();
  EXPECT_NEAR(awake.effort, 0.3, 1e-12);
  EXPECT_GT(awake.force.norm(), 0.1);
  pair.run(0.5);
  ASSERT_TRUE(pair.sleeps());
  for (const StepMeasure measure : kStepMeasures) {
    EXPECT_FALSE(pair.last.certificate.exceeds(pair.options.bounds, measure))
        << "measure " << static_cast<int>(measure) << ": " << pair.last.certificate[measure].value;
  }
  EXPECT_TRUE(pair.last.isAccurate());
  EXPECT_EQ(pair.last.iterations + pair.last.factorizations, 0);
  EXPECT_LT((pair.outcome().force - awake.force).norm(), 1e-9);
  EXPECT_LT((pair.outcome().torque - awake.torque).norm(), 1e-9);
  EXPECT_NEAR(pair.outcome().effort, 0.3, 1e-12);
  ASSERT_EQ(pair.simulator->contacts().size(), contacts.size());
  double weight = 0.0;
  for (const ContactOutcome& contact : pair.simulator->contacts()) weight += contact.impulse.z();
  EXPECT_NEAR(std::abs(weight), 2.0 * kG * kSleepStep, 1e-12);
  const State before = pair.state;
  pair.run(1.0);
  EXPECT_TRUE(pair.sleeps());
  EXPECT_EQ(pair.state.q, before.q);
}

TEST(Sleep, ADriveThatIsToldOtherwiseWakesInTheSameStep) {
  HingedPair motor(pressing());
  motor.run(0.6);
  ASSERT_TRUE(motor.sleeps());
  motor.run(kSleepStep, {.bodies = {}, .joints = {{.joint = motor.joint, .speed = -1.0}}});
  EXPECT_FALSE(motor.sleeps());
  EXPECT_NEAR(motor.outcome().effort, -0.3, 1e-12);
  motor.run(0.6);
  ASSERT_TRUE(motor.sleeps());
  motor.world.setMotorSpeed(motor.joint, -1.0);
  motor.run(kSleepStep);
  EXPECT_FALSE(motor.sleeps());

  HingedPair servo({.servo = {.kp = 50.0, .kd = 5.0}});
  servo.run(0.6);
  ASSERT_TRUE(servo.sleeps());
  servo.run(kSleepStep, {.bodies = {}, .joints = {{.joint = servo.joint, .target = 0.5}}});
  EXPECT_FALSE(servo.sleeps());
  EXPECT_NE(servo.outcome().effort, 0.0);

  HingedPair told({.effort = 0.2});
  told.run(0.6);
  ASSERT_TRUE(told.sleeps());
  told.run(kSleepStep, {.bodies = {}, .joints = {{.joint = told.joint, .effort = 0.25}}});
  EXPECT_FALSE(told.sleeps());
  EXPECT_NEAR(told.outcome().effort, 0.25, 1e-12);
}

TEST(Sleep, AForceOnOneOfThemWakesBothInTheSameStep) {
  HingedPair pair;
  pair.run(0.6);
  ASSERT_TRUE(pair.sleeps());
  pair.run(kSleepStep, {.bodies = {{.body = 0, .force = {20.0, 0, 0}}}, .joints = {}});
  EXPECT_FALSE(pair.sleeps());
  // Both go at a = F/2m - μ g.
  EXPECT_NEAR(pair.state.body(1).velocity.x(), kSleepStep * (10.0 - 0.5 * kG), 1e-9);
}

TEST(Sleep, AHitWakesWhatIsHinged) {
  HingedPair pair;
  pair.addBox({0.1, 0.1, 0.1}, {-2.2, 0.0, 0.1 + 0.5 * kG * 0.25}, {4.0, 0.0, 0.0});  // meets the first after 0.5 s
  pair.run(0.45);
  EXPECT_EQ(pair.last.sleeping_islands, 1);
  pair.run(0.1);
  EXPECT_EQ(pair.last.sleeping_islands, 0);
  EXPECT_GT(pair.state.body(1).velocity.x(), 0.5);
}

// Slower than all that rests, by a damper or a soft servo, yet on its way.
TEST(Sleep, WhatASpringOrServoMovesDoesNotSleep) {
  for (const bool has_servo : {true, false}) {
    test::SteppedWorld slow;
    slow.options.sleep_time = 0.2;
    slow.world.gravity.setZero();
    slow.addSphere(0.1, {0, 0, 0});
    const int rail = slow.world.environmentBody(slow.world.addEnvironment({"rail", {}}));
    SliderOptions slider{.axis = {1, 0, 0}};
    if (has_servo) {
      slider.servo = {.kp = 1.0, .kd = 2e4, .target = 1.0};
    } else {
      slider.spring = {.stiffness = 1.0, .rest = 1.0};
      slider.damping = 2e4;
    }
    slow.world.addSlider(rail, 0, slider);
    slow.run(1.0, kSleepStep);
    EXPECT_EQ(slow.last.sleeping_islands, 0);
    EXPECT_NEAR(slow.state.body(0).velocity.x(), 5e-5, 1e-7);  // kp/kd
  }
}

TEST(Sleep, OfJointsHasTheSameBitsForAnyThreadCount) {
  std::uint64_t hashes[2] = {0, 0};
  for (const int threads : {1, 2}) {
    HingedPair pair(pressing());
    pair.options.threads = threads;
    pair.addBox({0.1, 0.1, 0.1}, {-2.2, 0.0, 0.1 + 0.5 * kG * 0.25}, {4.0, 0.0, 0.0});
    pair.addBox({0.1, 0.1, 0.1}, {3.0, 0.0, 0.1});
    pair.run(0.8);
    hashes[threads - 1] = hashOf(pair.state) ^ hashOf(pair.memory);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace cornet
