// A warm step takes no memory: bodies at rest, one that slides, balls that bounce, and all that joints of the library do.
#include <gtest/gtest.h>

#include "cornet/sim/simulator.h"
#include "support/allocation_counter.h"

namespace cornet {
namespace {

void addBrick(WorldModel& world, const Vector3d& position, const Vector3d& velocity) {
  AssetInertial body = AssetInertial::fromMass("brick " + std::to_string(world.bodyCount()),
                                               {{Box({0.1, 0.05, 0.05}), Pose()}}, 2.0);
  body.place(position).setVelocity(velocity);
  world.addBody(std::move(body));
}

void expectNoAllocation(const WorldModel& world, const char* what, int steps = 20) {
  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  int in_parts = 0;  // steps that were, which may take memory
  const auto go = [&] {
    for (int k = 0; k < steps; ++k) in_parts += simulator.step(1e-3, state, memory).corrections.refined > 0;
  };
  go();
  EXPECT_EQ(test::countAllocations(go), 0) << what;
  EXPECT_EQ(in_parts, 0) << what;
}

int addRod(WorldModel& world, const Vector3d& position, const Vector3d& half_extents = {0.2, 0.02, 0.02}, double mass = 1.0) {
  AssetInertial rod = AssetInertial::fromMass("rod " + std::to_string(world.bodyCount()), {{Box(half_extents), Pose()}}, mass);
  return world.addBody(std::move(rod.place(position)));
}

int addWall(WorldModel& world) { return world.environmentBody(world.addEnvironment({"wall", {}})); }

TEST(StepMemory, AWarmStepTakesNoMemory) {
  WorldModel wall;
  wall.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 5; ++column) {
      addBrick(wall, {0.201 * column + 0.05 * (row % 2), 0.0, 0.05 + 0.1 * row}, {0, 0, 0});
    }
  }
  expectNoAllocation(wall, "wall");

  WorldModel slide;
  slide.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  addBrick(slide, {0.0, 0.0, 0.05}, {3.0, 0.4, 0.0});
  addBrick(slide, {0.0, 0.0, 5.0}, {0.0, 0.0, 1.0});
  expectNoAllocation(slide, "sliding and flying bricks");
}

// Three balls that bounce without loss, in turn and together.
TEST(StepMemory, ImpactsThatRepeatTakeNoMemory) {
  WorldModel world;
  world.materials.add({"default", 0.3, 1.0});
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  for (int k = 0; k < 3; ++k) {
    AssetInertial ball = AssetInertial::fromMass("ball " + std::to_string(k), {{Sphere{0.1}, Pose()}}, 1.0);
    ball.place({k * 0.5, 0.0, 0.1 + 0.002 * (k + 1)});
    world.addBody(std::move(ball));
  }
  expectNoAllocation(world, "bouncing balls", 1000);
}

TEST(StepMemory, AHingeWithLimitsAndAMotorTakesNoMemory) {
  WorldModel world;
  const int rod = addRod(world, {0.2, 0.0, 0.0});
  const HingeOptions options{.axis = {0, 1, 0}, .limits = {.lower = -0.5, .upper = 2.0, .restitution = 0.5}, .motor = {.speed = 3.0, .max_effort = 0.2}};
  world.addHinge(addWall(world), rod, options);
  expectNoAllocation(world, "hinge with limits and a motor", 500);
}

TEST(StepMemory, SpringsDampersAndDryFrictionTakeNoMemory) {
  WorldModel world;
  const int swing = addRod(world, {0.2, 0.0, 0.0}), slide = addRod(world, {0.0, 1.0, 0.0}), stuck = addRod(world, {0.2, 2.0, 0.0});
  const int wall = addWall(world);
  world.addHinge(wall, swing, {.axis = {0, 1, 0}, .spring = {.stiffness = 20.0}, .damping = 0.01});
  world.addSlider(wall, slide, {.anchor = {0, 1, 0}, .axis = {1, 0, 1}, .spring = {.stiffness = 300.0, .rest = 0.1}, .friction = 1.0});
  world.addHinge(wall, stuck, {.anchor = {0, 2, 0}, .axis = {0, 1, 0}, .friction = 10.0});
  expectNoAllocation(world, "springs, dampers and dry friction", 500);
}

TEST(StepMemory, JointsWithoutAnAxisTakeNoMemory) {
  WorldModel world;
  int rods[4];
  for (int k = 0; k < 4; ++k) rods[k] = addRod(world, {0.2, k * 1.0, 0.0});
  const int wall = addWall(world);
  world.addBall(wall, rods[0], {.anchor = {0, 0, 0}});
  world.addDistance(wall, rods[1], {.anchor_a = Vector3d(0, 1, 0.3), .anchor_b = Vector3d(0, 1, 0)});
  world.addUniversal(wall, rods[2], {.anchor = {0, 2, 0}, .axis_a = {1, 0, 0}, .axis_b = {0, 1, 0}});
  world.addFixed(wall, rods[3], {.anchor = {0, 3, 0}});
  expectNoAllocation(world, "ball, distance, universal and fixed joint", 500);
}

// Two fingers on sliders, with servos that aim into the box between them, above a floor.
TEST(StepMemory, AGripperThatHoldsABoxTakesNoMemory) {
  for (const double box_height : {0.1, 0.03}) {
    WorldModel world;
    const int left = addRod(world, {-0.05, 0.0, 0.1}, {0.01, 0.02, 0.06}, 0.1);
    const int right = addRod(world, {0.05, 0.0, 0.1}, {0.01, 0.02, 0.06}, 0.1);
    addRod(world, {0.0, 0.0, box_height}, {0.04, 0.03, 0.03}, 0.2);
    world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
    const int hand = world.environmentBody(world.addEnvironment({"hand", {}}));
    const JointServoOptions servo{.kp = 5000.0, .kd = 50.0, .target = 0.02, .max_effort = 5.0};
    world.addSlider(hand, left, {.name = "left", .anchor = {-0.05, 0, 0.1}, .axis = {1, 0, 0}, .servo = servo, .collide = false});
    world.addSlider(hand, right, {.name = "right", .anchor = {0.05, 0, 0.1}, .axis = {-1, 0, 0}, .servo = servo, .collide = false});
    expectNoAllocation(world, box_height > 0.03 ? "a box in the air" : "a box on the floor", 200);
  }
}

// A planar loop that swings, three rows of which repeat others.
TEST(StepMemory, AClosedFourBarTakesNoMemory) {
  WorldModel world;
  const Vector3d upright(0.02, 0.02, 0.2);
  const int left = addRod(world, {-0.2, 0, -0.2}, upright), low = addRod(world, {0, 0, -0.4}), right = addRod(world, {0.2, 0, -0.2}, upright);
  const int wall = addWall(world);
  const auto join = [&](int a, int b, const Vector3d& anchor) {
    world.addHinge(a, b, {.anchor = anchor, .axis = {0, 1, 0}, .collide = false});
  };
  join(wall, left, {-0.2, 0, 0});
  join(left, low, {-0.2, 0, -0.4});
  join(low, right, {0.2, 0, -0.4});
  join(right, wall, {0.2, 0, 0});
  world.addLoad({.body = low, .force = {3.0, 0, 0}});
  expectNoAllocation(world, "four-bar", 500);
}

// A pair on a post, and one on an arm that turns: three bodies that move.
TEST(StepMemory, GearsTakeNoMemory) {
  for (const bool arm_turns : {false, true}) {
    WorldModel world;
    int arm = addRod(world, {0, 0, 0});
    const int sun = addRod(world, {0, 0, 0.1}), planet = addRod(world, {0.2, 0, 0.2});
    const int wall = addWall(world);
    if (arm_turns) world.addHinge(wall, arm, {.name = "arm", .axis = {0, 0, 1}, .motor = {.speed = 2.0, .max_effort = 1.0}});
    if (!arm_turns) arm = wall;
    const int a = world.addHinge(arm, sun, {.name = "sun", .anchor = {0, 0, 0.1}, .axis = {0, 0, 1}, .effort = 0.1, .collide = false});
    const int b = world.addHinge(arm, planet, {.name = "planet", .anchor = {0.2, 0, 0.2}, .axis = {0, 0, 1}, .collide = false});
    world.addCoupling({{a, 20.0}, {b, 40.0}}, {.name = "teeth"});
    expectNoAllocation(world, arm_turns ? "gears on an arm" : "gears", 300);
  }
}

// A hammer that falls on the floor, and rebounds, again and again.
TEST(StepMemory, ImpactsOfHingedBodiesTakeNoMemory) {
  WorldModel world;
  world.materials.add({"default", 0.3, 1.0});
  AssetInertial hammer = AssetInertial::fromMass("hammer", {{Sphere{0.05}, Pose()}}, 1.0);
  world.addBody(std::move(hammer.place({0.5, 0, 0.08})));
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  world.addHinge(addWall(world), 0, {.anchor = {0, 0, 0.3}, .axis = {0, 1, 0}, .collide = false});
  expectNoAllocation(world, "hammer", 2000);
}

}  // namespace
}  // namespace cornet
