// Controllers: asked once a step, at its start; their step is that with the same inputs.
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "support/stepped_world.h"

namespace cornet {
namespace {

constexpr double kControlStep = 4e-3;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A PD law by a given effort at a hinge, a push and a state of the law's own: what it adds up its errors in.
struct ArmWorld : test::SteppedWorld {
  ArmWorld() {
    arm = addBox({0.5, 0.05, 0.05}, {0.5, 0.0, 0.0});
    addSphere(0.1, {0.7, 0.0, 0.151});  // lies on the arm, rolls off and falls to the floor
    // Whirls and nutates about one of its ends, too fast for a step at once.
    const int rod = addBox({0.5, 0.02, 0.05}, {0.5, 5.0, 5.0}, {0, 37.5, 0}, {22.5, 0, 75});
    world.addEnvironment({"floor", {{HalfSpace{}, Pose(Quaterniond::Identity(), {0, 0, -0.6})}}});
    joint = world.addHinge(3, arm, {.axis = {0, -1, 0}, .effort = 0.0});
    world.addBall(3, rod, {.anchor = {0.0, 5.0, 5.0}});
    begin();
    state.user = VectorXd::Zero(1);
  }
  StepInputs calcInputs(double time, const State& at) const {
    const InertialState body = at.body(arm);
    const double angle = -2.0 * std::atan2(body.orientation.y(), body.orientation.w());
    StepInputs inputs;
    inputs.bodies.push_back({.body = 1, .force = {0.0, std::sin(20.0 * time), 0.0}});
    inputs.bodies.push_back({.body = 2, .force = {0.0, 0.0, 5.0}, .torque = {0.0, std::cos(time), 0.0}});
    inputs.joints.push_back({.joint = joint, .effort = -40.0 * (angle - 0.3) + 4.0 * body.omega.y() - at.user[0]});
    inputs.user_rate = VectorXd::Constant(1, angle - 0.3);
    return inputs;
  }
  Controller law() const {
    return [this](double time, const State& at, StepInputs& inputs) { inputs = calcInputs(time, at); };
  }
  int arm = -1, joint = -1;
};

TEST(Controller, StepsAsTheSameInputsDo) {
  ArmWorld asked, told;
  const Controller law = asked.law();
  int taken_in_parts = 0;
  for (int k = 0; k < 300; ++k) {
    const StepReport one = asked.simulator->step(kControlStep, law, asked.state, asked.memory);
    const StepReport two =
        told.simulator->step(kControlStep, told.calcInputs(told.state.time, told.state), told.state, told.memory);
    ASSERT_EQ(one.state_hash, two.state_hash) << "step " << k;
    ASSERT_EQ(hashOf(asked.memory), hashOf(told.memory)) << "step " << k;
    taken_in_parts += one.corrections.refined;
  }
  EXPECT_NE(asked.state.user[0], 0.0);
  EXPECT_GT(taken_in_parts, 0) << "inputs are to be held over parts too";
}

// Once a step, with time and state of its start, also where the step is taken again.
TEST(Controller, IsAskedOnceAtTheStart) {
  ArmWorld arm;
  int asked = 0;
  std::uint64_t seen = 0;
  double seen_time = -1.0;
  const Controller law = [&](double time, const State& at, StepInputs& inputs) {
    ++asked;
    seen = hashOf(at);
    seen_time = time;
    inputs = arm.calcInputs(time, at);
  };
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t start = hashOf(arm.state);
    const double time = arm.state.time;
    arm.simulator->step(kControlStep, law, arm.state, arm.memory);
    ASSERT_EQ(asked, k + 1);
    ASSERT_EQ(seen, start);
    ASSERT_EQ(seen_time, time);
  }
}

// What it said in the step before is gone.
TEST(Controller, GetsEmptyInputs) {
  ArmWorld arm;
  bool is_first = true;
  const Controller law = [&](double time, const State& at, StepInputs& inputs) {
    EXPECT_TRUE(inputs.bodies.empty());
    EXPECT_TRUE(inputs.joints.empty());
    EXPECT_EQ(inputs.user_rate, VectorXd::Zero(1));
    if (is_first) inputs = arm.calcInputs(time, at);
    is_first = false;
  };
  for (int k = 0; k < 3; ++k) arm.simulator->step(kControlStep, law, arm.state, arm.memory);
  EXPECT_EQ(arm.simulator->joints()[0].effort, 0.0);
}

TEST(Controller, WhatIsNotFiniteIsRefusedByName) {
  ArmWorld arm;
  arm.run(0.1, kControlStep);
  const auto refuses = [&](const Controller& law, const std::string& part) {
    const auto state = hashOf(arm.state), memory = hashOf(arm.memory);
    try {
      arm.simulator->step(kControlStep, law, arm.state, arm.memory);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const std::invalid_argument& fault) {
      EXPECT_NE(std::string(fault.what()).find(part), std::string::npos) << fault.what();
    }
    EXPECT_EQ(hashOf(arm.state), state) << part;
    EXPECT_EQ(hashOf(arm.memory), memory) << part;
  };
  ArmWorld untouched;
  untouched.run(0.1, kControlStep);
  refuses([](double, const State&, StepInputs& inputs) { inputs.bodies = {{.body = 1, .force = {0, kNan, 0}}}; },
          "body 'ball1'");
  refuses([](double, const State&, StepInputs& inputs) { inputs.joints = {{.joint = 0, .effort = kNan}}; },
          "joint 'hinge floor-box0': effort = nan");
  refuses([](double, const State&, StepInputs& inputs) { inputs.user_rate[0] = kNan; }, "user's state 0: rate = nan");
  refuses(nullptr, "controller");
  // The next step is what it would have been.
  arm.step(kControlStep);
  untouched.step(kControlStep);
  EXPECT_EQ(hashOf(arm.state), hashOf(untouched.state));
}

TEST(Controller, WhatItThrowsLeavesAllAsItWas) {
  ArmWorld arm;
  arm.run(0.1, kControlStep);
  const auto state = hashOf(arm.state), memory = hashOf(arm.memory);
  const Controller law = [](double, const State&, StepInputs&) { throw std::logic_error("no law"); };
  EXPECT_THROW(arm.simulator->step(kControlStep, law, arm.state, arm.memory), std::logic_error);
  EXPECT_EQ(hashOf(arm.state), state);
  EXPECT_EQ(hashOf(arm.memory), memory);
}

}  // namespace
}  // namespace cornet
