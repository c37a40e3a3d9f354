// A box falls on the floor, slides and stops. Prints where, and by how much any contact broke its law.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;

  WorldModel world;
  world.materials.add({"default", 0.5, 0.0});  // friction, restitution
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  AssetInertial box = AssetInertial::fromDensity("box", {{Box({0.1, 0.1, 0.05}), Pose()}}, 500.0);
  box.place({0.0, 0.0, 0.25}).setVelocity({2.0, 0.0, 0.0});
  world.addBody(std::move(box));

  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  double worst = 0.0;
  for (int k = 0; k < 200; ++k) worst = std::max(worst, simulator.step(0.005, state, memory).relative);

  const InertialState& end = state.body(0);
  std::printf("the box rests at x = %.6f m, z = %.6f m; certificate %.1e\n", end.position.x(),
              end.position.z(), worst);
  return std::abs(end.position.z() - 0.05) < 1e-12 && end.velocity.norm() < 1e-12 ? 0 : 1;
}
