// A warm step takes no memory: bodies at rest, one that slides, and balls that bounce.
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
  for (int k = 0; k < steps; ++k) simulator.step(1e-3, state, memory);
  const auto go = [&] {
    for (int k = 0; k < steps; ++k) simulator.step(1e-3, state, memory);
  };
  EXPECT_EQ(test::countAllocations(go), 0) << what;
}

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

}  // namespace
}  // namespace cornet
