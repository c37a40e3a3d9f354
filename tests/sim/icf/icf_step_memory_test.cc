// A warm compliant step takes no memory.
#include <gtest/gtest.h>

#include "cornet/sim/simulator.h"
#include "support/allocation_counter.h"

namespace cornet {
namespace {

void expectNoAllocationInIcfSteps(const WorldModel& world, const char* what) {
  SimulatorOptions options;
  options.integrator = IntegratorKind::icf;
  Simulator simulator(world, options);
  State state = world.makeState();
  StepMemory memory;
  const auto go = [&] {
    for (int k = 0; k < 200; ++k) simulator.step(1e-3, state, memory);
  };
  go();
  EXPECT_EQ(test::countAllocations(go), 0) << what;
}

int add(WorldModel& world, const Shape& shape, const Vector3d& position, const Vector3d& velocity = {0, 0, 0}) {
  AssetInertial body = AssetInertial::fromMass("body " + std::to_string(world.bodyCount()), {{shape, Pose()}}, 1.0);
  return world.addBody(std::move(body.place(position).setVelocity(velocity)));
}

TEST(IcfStepMemory, AWallAndABrickThatSlides) {
  WorldModel world;
  for (int k = 0; k < 9; ++k) add(world, Box({0.1, 0.05, 0.05}), {0.201 * (k % 3), 0.0, 0.05 + 0.1 * (k / 3)});
  add(world, Box({0.1, 0.05, 0.05}), {0.0, 1.0, 0.05}, {3.0, 0.4, 0.0});
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  expectNoAllocationInIcfSteps(world, "wall and brick");
}

TEST(IcfStepMemory, JointsWithAllThatActsOnThem) {
  WorldModel world;
  const int swing = add(world, Box({0.2, 0.02, 0.02}), {0.2, 0, 0}), slide = add(world, Box({0.2, 0.02, 0.02}), {0, 1, 0});
  const int ball = add(world, Sphere{0.1}, {0, 2, 0}), held = add(world, Sphere{0.1}, {0, 3, 0});
  const int wall = world.environmentBody(world.addEnvironment({"wall", {}}));
  world.addHinge(wall, swing, {.axis = {0, 1, 0}, .limits = {.lower = -1.0, .upper = 1.0}, .servo = {.kp = 100.0, .kd = 1.0, .target = 0.3, .max_effort = 2.0}});
  world.addSlider(wall, slide, {.anchor = {0, 1, 0}, .axis = {1, 0, 1}, .spring = {.stiffness = 300.0}, .damping = 1.0, .friction = 1.0});
  world.addBall(wall, ball, {.anchor = {0, 2, 0.3}});
  world.addDistance(wall, held, {.anchor_a = Vector3d(0, 3, 0.5)});
  expectNoAllocationInIcfSteps(world, "joints");
}

}  // namespace
}  // namespace cornet
