#pragma once

#include <random>

#include "cornet/body/rigid_body.h"

namespace cornet::test {

inline InertialState randomState(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector3d(normal(random), normal(random), normal(random)); };
  InertialState state;
  state.position = vector();
  state.orientation =
      Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized();
  state.velocity = vector();
  state.omega = vector();
  return state;
}

/// The world as a body.
inline RigidBody ground() {
  RigidBody body;
  body.is_fixed = true;
  return body;
}

/// 1 kg, edges of 1 m.
inline const MassProperties kCube = MassProperties::solidBox(1.0, Vector3d::Ones());

/// A body at a place, with gravity.
inline RigidBody heavyBody(const MassProperties& mass, const Vector3d& position,
                           const Vector3d& gravity = {0.0, 0.0, -9.81}) {
  RigidBody body;
  body.mass = mass;
  body.state.position = position;
  body.external.force = mass.mass * gravity;
  return body;
}

}  // namespace cornet::test
