// A cart that balances a pole: a controller gives each step the effort that drives the cart.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;

  WorldModel world;
  const int cart = world.addBody(AssetInertial::fromMass("cart", {{Box({0.2, 0.1, 0.05}), Pose()}}, 1.0));
  AssetInertial rod = AssetInertial::fromMass("pole", {{Box({0.02, 0.02, 0.5}), Pose()}}, 0.2);
  const double lean = 0.15;  // [rad] at the start, towards x
  rod.place({0.5 * std::sin(lean), 0.0, 0.5 * std::cos(lean)}, Quaterniond(std::cos(0.5 * lean), 0.0, std::sin(0.5 * lean), 0.0));
  const int pole = world.addBody(std::move(rod));
  const int rail = world.environmentBody(world.addEnvironment({"rail", {}}));
  const int drive = world.addSlider(rail, cart, {.name = "drive", .axis = {1, 0, 0}, .effort = 0.0});
  world.addHinge(cart, pole, {.name = "pivot", .axis = {0, 1, 0}, .collide = false});

  // Gains on position, lean and their rates that put the poles of the upright pole to -2, -2.5, -3 and -3.5 1/s.
  const Controller balance = [=](double, const State& state, StepInputs& inputs) {
    const InertialState on_rail = state.body(cart), upon = state.body(pole);
    const double angle = 2.0 * std::atan2(upon.orientation.y(), upon.orientation.w());
    const double force = 3.748 * on_rail.position.x() + 45.611 * angle + 5.693 * on_rail.velocity.x() + 11.5 * upon.omega.y();
    inputs.joints.push_back({.joint = drive, .effort = force});
  };

  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  double furthest = 0.0;
  while (state.time < 10.0) {
    simulator.step(0.005, balance, state, memory);
    furthest = std::max(furthest, std::abs(state.body(cart).position.x()));
  }
  const double left = 2.0 * std::abs(state.body(pole).orientation.y());
  std::printf("the cart went %.2f m far and stands at %.1e m, the pole leans by %.1e rad\n", furthest,
              state.body(cart).position.x(), left);
  // e^(-2 t) after 10 s, with a factor for poles that lie close together.
  return left < 1e-6 && std::abs(state.body(cart).position.x()) < 1e-5 && furthest > 0.05 ? 0 : 1;
}
