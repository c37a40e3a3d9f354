// Joints of a world by their options: what they hold, what is refused, and how.
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/sim/simulator.h"
#include "cornet/world/constraint_error.h"
#include "support/gravity.h"

namespace cornet {
namespace {

using test::kG;

// Whether a message has all of these in it.
void expectTold(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
}

AssetInertial makeBrick(const std::string& name, const Vector3d& position) {
  AssetInertial body = AssetInertial::fromMass(name, {{Box({0.1, 0.05, 0.05}), Pose()}}, 1.0);
  body.place(position);
  return body;
}

// Body 0 and 1 are bricks, 2 is a wall without shape.
struct TwoBricks {
  TwoBricks() {
    world.addBody(makeBrick("left", {0.0, 0.0, 0.0}));
    world.addBody(makeBrick("right", {0.3, 0.0, 0.0}));
    world.addEnvironment({"wall", {}});
  }
  template <class Add>
  std::string refusal(const Add& add) {
    try {
      add(world);
    } catch (const std::invalid_argument& fault) {
      EXPECT_TRUE(world.joints().empty());
      return fault.what();
    }
    return "nothing was refused";
  }
  void run(double duration, double dt) {
    Simulator simulator(world);
    state = world.makeState();
    StepMemory memory;
    const auto steps = static_cast<int>(std::lround(duration / dt));
    for (int k = 0; k < steps; ++k) {
      EXPECT_TRUE(simulator.step(dt, state, memory).isAccurate()) << state.time;
      for (const JointOutcome& joint : simulator.joints()) worst_error = std::max(worst_error, joint.error);
    }
    joints = simulator.joints();
  }
  WorldModel world;
  State state;
  std::vector<JointOutcome> joints;
  double worst_error = 0.0;
};

TEST(WorldJoints, AreNamedAfterTheirBodiesAndFound) {
  TwoBricks bricks;
  EXPECT_EQ(bricks.world.addHinge(2, 0, {.anchor = {0, 0, 0.2}, .axis = {0, 1, 0}}), 0);
  EXPECT_EQ(bricks.world.addBall(0, 1, {.anchor = {0.15, 0, 0}}), 1);
  EXPECT_EQ(bricks.world.addBall(0, 1, {.anchor = {0.15, 0, 0}}), 2);
  EXPECT_EQ(bricks.world.addDistance(0, 1, {.name = "rod"}), 3);
  EXPECT_EQ(bricks.world.findJoint("hinge wall-left"), 0);
  EXPECT_EQ(bricks.world.findJoint("ball left-right 2"), 2);
  EXPECT_EQ(bricks.world.findJoint("rod"), 3);
}

TEST(WorldJoints, HaveThePartsThatWereAskedFor) {
  TwoBricks bricks;
  bricks.world.addSlider(2, 0, {.axis = {1, 0, 0},
                                .limits = {.lower = -0.1, .upper = 0.2, .restitution = 0.5},
                                .servo = {.kp = 10.0, .target = 0.1, .max_effort = 3.0},
                                .spring = {.stiffness = 5.0},
                                .damping = 1.0,
                                .friction = 0.2});
  std::vector<std::string> types;
  for (const auto& constraint : bricks.world.constraints()) types.push_back(constraint->typeName());
  EXPECT_EQ(types, (std::vector<std::string>{"SliderJoint", "JointLimit", "JointLimit", "JointServo", "JointSpring",
                                             "JointDamper", "JointFriction"}));
  EXPECT_EQ(bricks.world.joints()[0].count, 7);
  bricks.world.addHinge(0, 1, {.axis = {0, 1, 0}, .motor = {.speed = 1.0, .max_effort = 2.0}});
  EXPECT_EQ(bricks.world.joints()[1].count, 2);
}

TEST(WorldJoints, CollideUnlessToldOtherwise) {
  TwoBricks bricks;
  bricks.world.addBall(2, 0, {});
  EXPECT_TRUE(bricks.world.excluded().empty());
  bricks.world.addFixed(0, 1, {.anchor = {0.15, 0, 0}, .collide = false});
  ASSERT_EQ(bricks.world.excluded().size(), 1u);
  EXPECT_EQ(bricks.world.excluded()[0], std::pair(0, 1));
}

TEST(WorldJoints, ChangeTheirTargetsBetweenSteps) {
  WorldModel world;
  world.gravity.setZero();
  world.addBody(makeBrick("cart", {0, 0, 0}));
  world.addEnvironment({"wall", {}});
  const int joint = world.addSlider(1, 0, {.axis = {1, 0, 0}, .servo = {.kp = 400.0, .kd = 40.0, .target = 0.1}});
  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  for (int k = 0; k < 200; ++k) simulator.step(0.01, state, memory);
  EXPECT_NEAR(simulator.joints()[0].position, 0.1, 1e-9);
  world.setServoTarget(joint, -0.3);
  for (int k = 0; k < 200; ++k) simulator.step(0.01, state, memory);
  EXPECT_NEAR(simulator.joints()[0].position, -0.3, 1e-9);
  EXPECT_THROW(world.setMotorSpeed(joint, 1.0), std::invalid_argument);
  EXPECT_THROW(world.setServoTarget(joint, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(world.setServoTarget(7, 0.0), std::invalid_argument);
}

TEST(WorldJoints, SayWhatIsWrongWithWhichJoint) {
  TwoBricks bricks;
  const auto hinge = [&](HingeOptions options) {
    options.name = "elbow";
    return bricks.refusal([&](WorldModel& world) { world.addHinge(0, 1, options); });
  };
  expectTold(hinge({.axis = {0, 0, 0}}), {"joint 'elbow'", "axis (0, 0, 0)"});
  expectTold(hinge({.limits = {.lower = 1.0, .upper = -1.0}}), {"'elbow'", "from 1 to -1", "lower ≤ upper"});
  expectTold(hinge({.limits = {.upper = 4.0}}), {"'elbow'", "bound = 4", "between -π and π"});
  expectTold(hinge({.limits = {.restitution = 2.0}}), {"'elbow'", "restitution 2"});
  expectTold(hinge({.motor = {.speed = 3.0}}), {"'elbow'", "speed 3", "max_effort"});
  expectTold(hinge({.servo = {.target = 3.0}}), {"'elbow'", "target 3", "give it kp"});
  expectTold(hinge({.servo = {.kp = -1.0}}), {"'elbow'", "kp = -1"});
  expectTold(hinge({.motor = {.max_effort = 1.0}, .servo = {.kp = 1.0}}), {"'elbow'", "motor and servo"});
  expectTold(hinge({.spring = {.rest = 1.0}}), {"'elbow'", "no stiffness"});
  expectTold(hinge({.damping = -1.0}), {"'elbow'", "damping = -1"});
  expectTold(hinge({.friction = -1.0}), {"'elbow'", "friction = -1"});
  expectTold(bricks.refusal([](WorldModel& world) { world.addBall(0, 0, {}); }), {"both of its bodies are 'left'"});
  expectTold(bricks.refusal([](WorldModel& world) { world.addBall(0, 9, {}); }), {"body 9 does not exist"});
  expectTold(bricks.refusal([](WorldModel& world) { world.addUniversal(0, 1, {.axis_a = {1, 0, 0}, .axis_b = {1, 1, 0}}); }), {"universal left-right", "45 degrees", "expected 90"});
}

TEST(WorldJoints, AJointBetweenSurroundingsIsRefused) {
  WorldModel world;
  world.addBody(makeBrick("brick", {0, 0, 0}));
  world.addEnvironment({"wall", {}});
  world.addEnvironment({"floor", {}});
  EXPECT_THROW(world.addFixed(1, 2, {}), std::invalid_argument);
}

// A universal joint passes the turn of one shaft on to the other: between shafts in line it leaves the two tilts free and holds
// the twist.
TEST(WorldJoints, AUniversalJointHoldsItsPointAndPassesTheTurnOn) {
  TwoBricks bricks;
  bricks.world.gravity.setZero();
  bricks.world.addHinge(2, 0, {.axis = {1, 0, 0}, .motor = {.speed = 2.0, .max_effort = 100.0}});
  bricks.world.addUniversal(0, 1, {.anchor = {0.15, 0, 0}, .axis_a = {0, 1, 0}, .axis_b = {0, 0, 1}});
  bricks.run(0.5, 1e-3);
  EXPECT_LT(bricks.worst_error, 1e-12);
  EXPECT_NEAR(bricks.state.body(0).omega.x(), 2.0, 1e-10);
  EXPECT_NEAR(bricks.state.body(1).omega.x(), 2.0, 1e-10);
}

// Shafts at an angle: with the fork of the first across both at the start, tan(out) = cos(angle) tan(in).
TEST(WorldJoints, AUniversalJointTurnsUnevenlyAtAnAngle) {
  const double bend = 0.5;
  const Vector3d shaft(std::cos(bend), 0.0, std::sin(bend));
  WorldModel world;
  world.gravity.setZero();
  const auto wheel = [](const std::string& name) { return AssetInertial::fromMass(name, {{Sphere{0.1}, Pose()}}, 1.0); };
  world.addBody(wheel("in"));
  world.addBody(wheel("out"));
  world.addEnvironment({"wall", {}});
  world.excludeBodies(0, 1);
  const int input = world.addHinge(2, 0, {.axis = {1, 0, 0}, .motor = {.speed = 1.0, .max_effort = 100.0}});
  const int output = world.addHinge(2, 1, {.axis = shaft});
  // The fork of the input stands across both shafts at the start.
  world.addUniversal(0, 1, {.axis_a = {0, 1, 0}, .axis_b = shaft.cross(Vector3d::UnitY())});
  Simulator simulator(world);
  State state = world.makeState();
  state.setVelocity(0, state.body(0).velocity, Vector3d(1.0, 0.0, 0.0));
  state.setVelocity(1, state.body(1).velocity, std::cos(bend) * shaft);
  StepMemory memory;
  for (int k = 0; k < 1000; ++k) {
    simulator.step(1e-3, state, memory);
    const double in = simulator.joints()[input].position, out = simulator.joints()[output].position;
    EXPECT_NEAR(std::sin(out) * std::cos(in), std::cos(bend) * std::cos(out) * std::sin(in), 1e-9);
    EXPECT_LT(simulator.joints()[2].error, 1e-9);
  }
  EXPECT_NEAR(simulator.joints()[input].position, 1.0, 1e-5);
}

TEST(WorldJoints, ARodKeepsItsLengthAndAWeldCarriesItsMoment) {
  TwoBricks bricks;
  bricks.world.addFixed(2, 0, {.anchor = {-0.1, 0, 0}});
  bricks.world.addFixed(0, 1, {.anchor = {0.15, 0, 0}});
  bricks.run(0.1, 1e-3);
  EXPECT_NEAR(bricks.joints[0].force.z(), 2.0 * kG, 1e-9);
  EXPECT_NEAR(bricks.joints[0].torque.y(), -kG * (0.1 + 0.4), 1e-9);  // about the anchor, arms 0.1 m and 0.4 m

  TwoBricks hung;
  hung.world.addDistance(2, 0, {.anchor_a = Vector3d(0, 0, 0.5), .anchor_b = Vector3d(0, 0, 0)});
  hung.world.addDistance(2, 1, {.anchor_a = Vector3d(0.3, 0, 0.5), .anchor_b = Vector3d(0.3, 0, 0), .length = 0.5});
  hung.run(0.1, 1e-3);
  EXPECT_LT(hung.worst_error, 1e-12);
  EXPECT_NEAR(hung.state.body(1).position.z(), 0.0, 1e-12);
}

}  // namespace
}  // namespace cornet
