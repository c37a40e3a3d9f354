// An arm on a hinge with stops and a servo: it goes where it is told, within the effort it has.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;

  WorldModel world;
  AssetInertial arm = AssetInertial::fromMass("arm", {{Box({0.5, 0.05, 0.05}), Pose()}}, 2.0);
  arm.place({0.5, 0.0, 0.0});
  const int arm_number = world.addBody(std::move(arm));
  const int post = world.environmentBody(world.addEnvironment({"post", {}}));
  const double deg = std::numbers::pi / 180.0;
  // Angles count from the level start, upwards.
  const int shoulder = world.addHinge(post, arm_number,
                                      {.name = "shoulder",
                                       .axis = {0.0, -1.0, 0.0},
                                       .limits = {.lower = -90 * deg, .upper = 60 * deg},
                                       .servo = {.kp = 2000.0, .kd = 60.0, .target = 45 * deg, .max_effort = 25.0}});

  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  double largest = 0.0;
  const auto run = [&](double until) {
    while (state.time < until) {
      simulator.step(0.005, state, memory);
      largest = std::max(largest, std::abs(simulator.joints()[shoulder].effort));
    }
    return simulator.joints()[shoulder];
  };
  const JointOutcome up = run(2.0);
  world.setServoTarget(shoulder, -30 * deg);
  const JointOutcome down = run(4.0);

  // Its proportional part carries the weight: kp (target - x) = m g l cos x.
  const auto sag = [&](double target, double x) { return 2000.0 * (target - x) - 2.0 * 9.81 * 0.5 * std::cos(x); };
  std::printf("at %.3f and %.3f degrees, with %.3f and %.3f N m; at most %.3f N m\n", up.position / deg, down.position / deg,
              up.effort, down.effort, largest);
  const bool held = std::abs(sag(45 * deg, up.position)) < 1e-6 && std::abs(sag(-30 * deg, down.position)) < 1e-6;
  return held && largest <= 25.0 + 1e-9 ? 0 : 1;
}
