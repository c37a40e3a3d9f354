#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "cornet/sim/simulator.h"

namespace cornet::test {

inline AssetShape part(const Shape& shape) { return {shape, Pose(), 0, {}}; }

/// A world, and what steps have made of it.
struct SteppedWorld {
  int add(const std::string& name, const Shape& shape, const Vector3d& position, const Vector3d& velocity,
          const Vector3d& omega, double mass) {
    AssetInertial body = AssetInertial::fromMass(name + std::to_string(world.bodyCount()), {part(shape)}, mass);
    body.place(position).setVelocity(velocity, omega);
    return world.addBody(std::move(body));
  }
  int addBox(const Vector3d& half, const Vector3d& position, const Vector3d& velocity = {0, 0, 0},
             const Vector3d& omega = {0, 0, 0}, double mass = 1.0) {
    return add("box", Box(half), position, velocity, omega, mass);
  }
  int addSphere(double radius, const Vector3d& position, const Vector3d& velocity = {0, 0, 0},
                const Vector3d& omega = {0, 0, 0}, double mass = 1.0) {
    return add("ball", Sphere{radius}, position, velocity, omega, mass);
  }
  /// Bodies and options are complete.
  void begin() {
    simulator = std::make_unique<Simulator>(world, options);
    state = world.makeState();
  }
  const StepReport& step(double dt) {
    if (!simulator) begin();
    last = simulator->step(dt, state, memory);
    worst = std::max(worst, last.relative);
    unsolved += last.unsolved_islands;
    return last;
  }
  void run(double duration, double dt) {
    const auto steps = std::lround(duration / dt);
    for (int k = 0; k < steps; ++k) step(dt);
  }
  double energy() const { return world.calcKinetic(state) + world.calcPotential(state); }
  InertialState body(int i = 0) const { return state.body(i); }

  WorldModel world;
  SimulatorOptions options;
  std::unique_ptr<Simulator> simulator;
  State state;
  StepMemory memory;
  StepReport last;
  double worst = 0.0;  // certificate
  int unsolved = 0;    // islands
};

}  // namespace cornet::test
