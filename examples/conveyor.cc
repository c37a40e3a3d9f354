// A block on a conveyor belt: it slips until it has the belt's speed, after v²/(2 μ g).
#include <cmath>
#include <cstdio>

#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;
  const double speed = 1.5, mu = 0.4;

  WorldModel world;
  world.materials.add({"default", mu, 0.0});
  AssetEnvironment belt("belt", {{Box({5.0, 0.5, 0.1}), Pose()}}, {0.0, 0.0, -0.1});
  belt.setSurfaceVelocity({speed, 0.0, 0.0});  // the belt runs, the conveyor stays
  world.addEnvironment(std::move(belt));
  AssetInertial block = AssetInertial::fromMass("block", {{Box({0.1, 0.1, 0.1}), Pose()}}, 2.0);
  block.place({0.0, 0.0, 0.1});
  world.addBody(std::move(block));

  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  for (int k = 0; k < 100; ++k) simulator.step(0.01, state, memory);

  const double slip = speed * state.time - state.body(0).position.x();
  const double expected = speed * speed / (2.0 * mu * 9.81);
  std::printf("slip %.12f m, theory %.12f m\n", slip, expected);
  return std::abs(slip - expected) < 1e-12 ? 0 : 1;
}
