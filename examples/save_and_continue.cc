// State and StepMemory are values: keep a copy, go on, come back, and get the same bits.
#include <cstdio>

#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;

  WorldModel world;
  world.materials.add({"default", 0.3, 0.5});
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  for (int k = 0; k < 4; ++k) {
    AssetInertial body = AssetInertial::fromDensity("die " + std::to_string(k),
                                                    {{Box({0.02, 0.02, 0.02}), Pose()}}, 1200.0);
    body.place({0.03 * k, 0.01 * k, 0.1 + 0.06 * k}).setVelocity({0.5, 0.0, 0.0}, {3.0 * k, 20.0, 5.0});
    world.addBody(std::move(body));
  }

  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  for (int k = 0; k < 100; ++k) simulator.step(0.002, state, memory);

  const State saved = state;
  const StepMemory saved_memory = memory;
  for (int k = 0; k < 100; ++k) simulator.step(0.002, state, memory);
  const auto first = hashOf(state);

  state = saved;
  memory = saved_memory;
  for (int k = 0; k < 100; ++k) simulator.step(0.002, state, memory);
  std::printf("state after 200 steps: %016lx, again from the saved one: %016lx\n", first, hashOf(state));
  return first == hashOf(state) ? 0 : 1;
}
