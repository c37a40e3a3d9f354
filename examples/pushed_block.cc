// A block pushed by a force that grows with time stays until friction is exhausted: forces by a function.
#include <cmath>
#include <cstdio>

#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;

  WorldModel world;
  world.materials.add({"default", 0.5, 0.0});
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  AssetInertial block = AssetInertial::fromMass("block", {{Box({0.1, 0.1, 0.05}), Pose()}}, 1.0);
  block.place({0.0, 0.0, 0.05});
  const int number = world.addBody(std::move(block));
  // 2 N more every second; the floor holds 0.5 m g = 4.905 N.
  world.setForces([number](double t, const State&, std::span<BodyForce> forces) {
    forces[number].force.x() += 2.0 * t;
  });

  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  double begins = 0.0;
  while (state.time < 3.0) {
    simulator.step(0.001, state, memory);
    if (begins == 0.0 && state.body(0).velocity.x() > 1e-9) begins = state.time;
  }
  std::printf("the block begins to slide at t = %.3f s, theory %.4f s\n", begins, 4.905 / 2.0);
  return std::abs(begins - 4.905 / 2.0) < 0.002 ? 0 : 1;
}
