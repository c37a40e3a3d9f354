// Contact forces of a stack of three boxes, and a pair of bodies that is not to touch.
#include <cmath>
#include <cstdio>

#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;
  const double dt = 0.005;

  WorldModel world;
  const int floor = world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  for (int k = 0; k < 3; ++k) {
    AssetInertial body = AssetInertial::fromMass("box " + std::to_string(k),
                                                 {{Box({0.1, 0.1, 0.1}), Pose()}}, 1.0 + k);
    body.place({0.0, 0.0, 0.1 + 0.2 * k});
    world.addBody(std::move(body));
  }
  AssetInertial ghost = AssetInertial::fromMass("ghost", {{Sphere{0.1}, Pose()}}, 1.0);
  ghost.place({0.0, 0.0, 0.3});
  const int number = world.addBody(std::move(ghost));
  for (int k = 0; k < 3; ++k) world.excludeBodies(k, number);

  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  simulator.step(dt, state, memory);

  double weight = 0.0;
  for (const ContactOutcome& contact : simulator.contacts()) {
    const Vector3d force = contact.impulse / dt;  // on B, world axes
    std::printf("%-6s on %-6s  force (%8.4f %8.4f %8.4f) N, gap %.1e m\n",
                world.nameOf(contact.a).c_str(), world.nameOf(contact.b).c_str(), force.x(), force.y(),
                force.z(), contact.gap);
    if (contact.a == world.environmentBody(floor)) weight += force.z();
  }
  std::printf("the floor carries %.12f N, the boxes weigh %.12f N\n", weight, 6.0 * 9.81);
  return std::abs(weight - 6.0 * 9.81) < 1e-10 ? 0 : 1;
}
