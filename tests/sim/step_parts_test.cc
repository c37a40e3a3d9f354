// Steps that the certificate does not accept at once.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/constraints/joints/joints.h"
#include "cornet/sim/simulator.h"

namespace cornet {
namespace {

// A rod that whirls about one of its ends, far too fast for the step, and a box at rest that has nothing to do with it.
struct Whirl {
  explicit Whirl(double spin, int max_parts) {
    world.gravity.setZero();
    world.addBody(AssetInertial::fromMass("rod", {{Box(Vector3d(0.5, 0.02, 0.05)), Pose()}}, 1.0)
                      .place({0.5, 0, 0})
                      .setVelocity({0, 0.5 * spin, 0}, {0, 0, spin}));
    world.addBody(AssetInertial::fromMass("box", {{Box(Vector3d(0.1, 0.1, 0.1)), Pose()}}, 1.0).place({5, 0, 0}));
    const int wall = world.environmentBody(world.addEnvironment({"wall", {}}));
    world.addConstraint(std::make_unique<BallJoint>(wall, 0, world.environment(0).calcState(0.0), world.body(0).initial(),
                                                    Vector3d::Zero()));
    state = world.makeState();
    InertialState body = state.body(0);
    body.omega.x() = 0.3 * spin;  // and it nutates
    state.setBody(0, body);
    options.max_parts = max_parts;
  }
  WorldModel world;
  SimulatorOptions options;
  State state;
  StepMemory memory;
};

TEST(StepParts, AStepBeyondABoundIsTakenInParts) {
  Whirl at_once(30.0, 1), in_parts(30.0, 64);
  Simulator coarse(at_once.world, at_once.options), fine(in_parts.world, in_parts.options);
  int missed = 0, refined = 0;
  for (int k = 0; k < 20; ++k) {
    missed += !coarse.step(0.01, at_once.state, at_once.memory).isAccurate();
    const StepReport report = fine.step(0.01, in_parts.state, in_parts.memory);
    EXPECT_TRUE(report.isAccurate()) << k;
    refined += report.corrections.refined;
    EXPECT_NEAR(in_parts.state.time, 0.01 * (k + 1), 1e-15);
  }
  EXPECT_GT(missed, 0);
  EXPECT_GE(refined, missed > 0 ? 1 : 0);
  EXPECT_EQ(in_parts.state.body(1).position, Vector3d(5, 0, 0));
}

// What parts say about impulses is what changed the momenta, whatever they were.
TEST(StepParts, ImpulsesOfAllPartsAddUp) {
  Whirl whirl(30.0, 16);
  Simulator simulator(whirl.world, whirl.options);
  for (int k = 0; k < 10; ++k) {
    const Vector3d before = whirl.state.body(0).velocity;
    const StepReport report = simulator.step(0.01, whirl.state, whirl.memory);
    const Vector3d change = whirl.state.body(0).velocity - before;  // of 1 kg
    EXPECT_LT((change - simulator.constraints()[0].bodies[1].linear).norm(), 1e-10);
    EXPECT_LT(report.certificate[StepMeasure::momentum].value, 1e-10);
  }
}

TEST(StepParts, AreTheSameToTheBitRunAfterRun) {
  std::uint64_t hashes[2] = {0, 0};
  for (std::uint64_t& hash : hashes) {
    Whirl whirl(30.0, 16);
    Simulator simulator(whirl.world, whirl.options);
    for (int k = 0; k < 10; ++k) hash = simulator.step(0.01, whirl.state, whirl.memory).state_hash;
    hash ^= hashOf(whirl.memory);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

// A ball with 4 mm of room on either side between two walls that it bounces off; the left one may move.
struct Walls {
  explicit Walls(double wall_speed = 0.0, double speed = 1.0) {
    world.gravity.setZero();
    world.materials.add({"default", 0.0, 1.0});
    const auto facing = [](double angle) { return Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitY())); };
    world.addEnvironment({"left", {{HalfSpace{}, Pose()}}, {-0.104, 0, 0}, facing(0.5 * std::numbers::pi),
                          SteadyMotion{{wall_speed, 0, 0}, {0, 0, 0}}});
    world.addEnvironment({"right", {{HalfSpace{}, Pose()}}, {0.104, 0, 0}, facing(-0.5 * std::numbers::pi)});
    world.addBody(AssetInertial::fromMass("ball", {{Sphere{0.1}, Pose()}}, 2.0).setVelocity({speed, 0, 0}));
  }
  StepReport step(double dt, const StepInputs& inputs = {}) {
    if (!simulator) {
      simulator = std::make_unique<Simulator>(world, options);
      state = world.makeState();
    }
    return simulator->step(dt, inputs, state, memory);
  }
  WorldModel world;
  SimulatorOptions options;
  std::unique_ptr<Simulator> simulator;
  State state;
  StepMemory memory;
};

// Hit by both within a step it ends where no mixture of its velocities before and after takes it.
TEST(StepParts, ABodyThatIsHitTwiceIsExplainedPartByPart) {
  Walls walls;
  constexpr double kStep = 0.014;  // 4 mm, 8 mm and 2 mm
  const StepReport report = walls.step(kStep);
  EXPECT_TRUE(report.isAccurate());
  EXPECT_NEAR(walls.state.body(0).position.x(), -0.002, 1e-12);
  EXPECT_NEAR(walls.state.body(0).velocity.x(), 1.0, 1e-12);
  // Where parts meet.
  const int parts = report.corrections.parts;
  ASSERT_GT(parts, 1);
  ASSERT_EQ(walls.simulator->waypoints().size(), static_cast<std::size_t>(parts - 1));
  for (int k = 1; k < parts; ++k) {
    const Waypoint& waypoint = walls.simulator->waypoints()[static_cast<std::size_t>(k - 1)];
    const double way = std::fmod(waypoint.time + 0.004, 0.016);  // from the left wall, there and back
    EXPECT_NEAR(waypoint.state.position.x(), std::min(way, 0.016 - way) - 0.004, 1e-12);
  }
  EXPECT_TRUE(walls.step(1e-4).isAccurate());
  EXPECT_TRUE(walls.simulator->waypoints().empty());
}

TEST(StepParts, CountWhatStands) {
  Walls walls;
  const StepReport report = walls.step(0.014);
  ASSERT_EQ(report.corrections.refined, 1);
  EXPECT_EQ(report.islands, 1);
  EXPECT_EQ(report.impacts, 2);
  EXPECT_EQ(report.unsolved_islands, 0);
  EXPECT_EQ(report.penetration, 0.0);
  EXPECT_LE(report.contacts, 2);
  // What contacts say they did in all parts is what happened to the ball.
  Vector3d impulse = Vector3d::Zero();
  for (const ContactOutcome& contact : walls.simulator->contacts()) impulse += contact.b == 0 ? contact.impulse : -contact.impulse;
  EXPECT_LT(impulse.norm(), 1e-12);
}

// It meets the wall that comes after 4 mm/1.5 m/s, leaves it with 2 m/s, and the other one 4 ms later.
TEST(StepParts, SurroundingsMoveFromPartToPart) {
  Walls walls(0.5, -1.0);
  const StepReport report = walls.step(0.007);
  EXPECT_TRUE(report.isAccurate());
  EXPECT_GT(report.corrections.parts, 1);
  EXPECT_NEAR(walls.state.body(0).velocity.x(), -2.0, 1e-12);
  EXPECT_NEAR(walls.state.body(0).position.x(), 0.002, 1e-12);
}

TEST(StepParts, ForcesOfInputsAreHeldOverAllParts) {
  Walls walls;
  StepInputs inputs;
  inputs.bodies.push_back({0, {0, 6.0, 0}, {0, 0, 0}});
  const StepReport report = walls.step(0.014, inputs);
  EXPECT_GT(report.corrections.parts, 1);
  EXPECT_NEAR(walls.state.body(0).velocity.y(), 3.0 * 0.014, 1e-14);
  EXPECT_NEAR(walls.state.body(0).position.y(), 1.5 * 0.014 * 0.014, 1e-14);
  EXPECT_NEAR(walls.state.body(0).position.x(), -0.002, 1e-12);
}

TEST(StepParts, WhatSleepsSleepsOn) {
  Walls walls;
  walls.options.sleep_time = 0.01;
  walls.world.addEnvironment({"table", {{Box(Vector3d(0.05, 0.05, 0.1)), Pose()}}, {0, 5, 0}});
  walls.world.addBody(AssetInertial::fromMass("box", {{Box(Vector3d(0.05, 0.05, 0.05)), Pose()}}, 1.0).place({0, 5, 0.15}));
  Load load;
  load.body = 1;
  load.force = {0, 0, -10};
  walls.world.addLoad(load);
  int refined = 0, sleeping = 0;
  for (int k = 0; k < 30; ++k) {
    const StepReport report = walls.step(0.014);
    EXPECT_TRUE(report.isAccurate()) << k;
    refined += report.corrections.refined;
    sleeping += report.sleeping_islands;
  }
  EXPECT_GT(refined, 20);
  EXPECT_GT(sleeping, 20);
}

TEST(StepParts, RefusesAnImpossibleNumber) {
  Whirl whirl(1.0, 0);
  EXPECT_THROW(Simulator(whirl.world, whirl.options), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
