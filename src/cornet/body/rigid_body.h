#pragma once

#include "cornet/body/free_body.h"

namespace cornet {

/// A free or fixed body with what acts on it, for callers who keep their own list of bodies.
struct RigidBody {
  InertialState state;
  MassProperties mass;
  BodyForce external;     // everything but constraints, gravity included
  bool is_fixed = false;  // moved by nothing; its velocity, if it has one, is prescribed
};

}  // namespace cornet
