// Inputs of a step: forces on bodies, targets and efforts of joints, held over one step and forgotten after it.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cornet/sim/simulator.h"

namespace cornet {
namespace {

// A cart of 2 kg on a rail along x, without gravity.
struct CartWorld {
  explicit CartWorld(const SliderOptions& options) {
    world.gravity.setZero();
    world.addBody(AssetInertial::fromMass("cart", {{Sphere{0.1}, Pose()}}, 2.0));
    world.addEnvironment({"rail", {}});
    joint = world.addSlider(1, 0, options);
    simulator = std::make_unique<Simulator>(world);
    state = world.makeState();
  }
  void step(double dt, const StepInputs& inputs) {
    const StepReport report = simulator->step(dt, inputs, state, memory);
    EXPECT_TRUE(report.isAccurate());
  }
  const JointOutcome& outcome() const { return simulator->joints()[static_cast<std::size_t>(joint)]; }

  WorldModel world;
  int joint = -1;
  std::unique_ptr<Simulator> simulator;
  State state;
  StepMemory memory;
};

TEST(StepInputs, ForcesActForTheirStepAlone) {
  CartWorld cart({.axis = {1, 0, 0}});
  cart.step(0.01, {.bodies = {{.body = 0, .force = {4.0, 1.0, 0.0}, .torque = {0.0, 0.0, 2.0}}}, .joints = {}});
  EXPECT_NEAR(cart.state.body(0).velocity.x(), 0.02, 1e-15);
  EXPECT_NEAR(cart.state.body(0).position.x(), 1e-4, 1e-16);
  EXPECT_NEAR(cart.outcome().force.y(), -1.0, 1e-12);  // what the rail takes
  EXPECT_NEAR(cart.outcome().torque.z(), -2.0, 1e-12);
  cart.step(0.01, {});
  EXPECT_NEAR(cart.state.body(0).velocity.x(), 0.02, 1e-15);
  EXPECT_NEAR(cart.outcome().force.y(), 0.0, 1e-12);
}

TEST(StepInputs, EmptyBracesAreNoInputs) {
  CartWorld cart({.axis = {1, 0, 0}});
  State braced = cart.state;
  StepMemory memory;
  for (int k = 0; k < 5; ++k) {
    const StepReport report = cart.simulator->step(0.01, {}, braced, memory);
    EXPECT_EQ(report.state_hash, cart.simulator->step(0.01, StepInputs{}, cart.state, cart.memory).state_hash);
  }
}

TEST(StepInputs, AnEffortIsGivenExactly) {
  CartWorld cart({.axis = {1, 0, 0}, .effort = 0.0});
  double way = 0.0, speed = 0.0;
  for (int k = 0; k < 50; ++k) {
    const double effort = std::sin(0.3 * k);
    cart.step(0.01, {.bodies = {}, .joints = {{.joint = cart.joint, .effort = effort}}});
    way += 0.01 * speed + 0.5 * 1e-4 * effort / 2.0;
    speed += 0.01 * effort / 2.0;
    EXPECT_NEAR(cart.outcome().effort, effort, 1e-12);
    EXPECT_NEAR(cart.outcome().position, way, 1e-14);
    EXPECT_NEAR(cart.outcome().power, effort * (speed - 0.5 * 0.01 * effort / 2.0), 1e-12);
  }
  cart.world.setEffort(cart.joint, 1.0);  // what it has of its own acts where no input says otherwise
  cart.step(0.01, {});
  EXPECT_NEAR(cart.outcome().effort, 1.0, 1e-12);
}

TEST(StepInputs, TargetsOfServoAndMotorAreThoseOfTheStep) {
  CartWorld held({.axis = {1, 0, 0}, .servo = {.kp = 800.0, .kd = 80.0}});
  for (int k = 0; k < 200; ++k) held.step(0.01, {.bodies = {}, .joints = {{.joint = held.joint, .target = 0.25}}});
  EXPECT_NEAR(held.outcome().position, 0.25, 1e-9);
  for (int k = 0; k < 200; ++k) held.step(0.01, {});
  EXPECT_NEAR(held.outcome().position, 0.0, 1e-9);

  CartWorld driven({.axis = {1, 0, 0}, .motor = {.speed = 1.0, .max_effort = 1e3}});
  driven.step(0.01, {.bodies = {}, .joints = {{.joint = driven.joint, .speed = -0.5}}});
  EXPECT_NEAR(driven.outcome().rate, -0.5, 1e-13);
  driven.step(0.01, {});
  EXPECT_NEAR(driven.outcome().rate, 1.0, 1e-13);
}

// The same inputs give the same bits, whatever was stepped in between: a world serves many states.
TEST(StepInputs, LeaveNothingBehind) {
  CartWorld cart({.axis = {1, 0, 0}, .servo = {.kp = 800.0, .kd = 80.0, .max_effort = 5.0}});
  const auto rollOut = [&](double target) {
    State state = cart.world.makeState();
    StepMemory memory;
    for (int k = 0; k < 20; ++k) {
      cart.simulator->step(0.01, {.bodies = {}, .joints = {{.joint = cart.joint, .target = target}}}, state, memory);
    }
    return hashOf(state);
  };
  const auto first = rollOut(0.1);
  EXPECT_NE(rollOut(-0.2), first);
  EXPECT_EQ(rollOut(0.1), first);
}

TEST(StepInputs, SayWhatIsWrong) {
  CartWorld cart({.axis = {1, 0, 0}});
  const auto refuses = [&](const StepInputs& inputs, const char* part) {
    const auto before = hashOf(cart.state);
    try {
      cart.simulator->step(0.01, inputs, cart.state, cart.memory);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const std::invalid_argument& fault) {
      EXPECT_NE(std::string(fault.what()).find(part), std::string::npos) << fault.what();
    }
    EXPECT_EQ(hashOf(cart.state), before);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses({.bodies = {{.body = 1}}, .joints = {}}, "body 1");
  refuses({.bodies = {{.body = 0, .force = {nan, 0, 0}}}, .joints = {}}, "body 'cart'");
  refuses({.bodies = {}, .joints = {{.joint = 3}}}, "joint 3");
  refuses({.bodies = {}, .joints = {{.joint = 0, .target = 1.0}}}, "has no servo");
  refuses({.bodies = {}, .joints = {{.joint = 0, .speed = 1.0}}}, "has no motor");
  refuses({.bodies = {}, .joints = {{.joint = 0, .effort = 1.0}}}, "has no given effort");
}

TEST(StepInputs, RatesOfUsersStatesAddUp) {
  WorldModel world;
  world.addBody(AssetInertial("cart", MassProperties::solidSphere(1.0, 0.1)));
  Simulator simulator(world);
  State state = world.makeState();
  state.user = VectorXd::Ones(2);
  StepMemory memory;
  StepInputs inputs;
  inputs.user_rate = VectorXd::Unit(2, 1);
  for (int k = 0; k < 10; ++k) simulator.step(0.1, inputs, state, memory);
  EXPECT_NEAR(state.user[0], 1.0, 1e-15);
  EXPECT_NEAR(state.user[1], 2.0, 1e-14);
  inputs.user_rate = VectorXd::Ones(3);
  EXPECT_THROW(simulator.step(0.1, inputs, state, memory), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
