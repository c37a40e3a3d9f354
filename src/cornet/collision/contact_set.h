#pragma once

#include <cstdint>
#include <vector>

#include "cornet/math/types.h"

namespace cornet {

/// A point where two shapes touch or nearly do.
struct ContactGeometryPoint {
  Vector3d point_a = Vector3d::Zero();  // on the surface of A, world
  Vector3d point_b = Vector3d::Zero();  // on the surface of B, world
  Vector3d normal = Vector3d::UnitZ();  // unit, from A into B, world
  double gap = 0.0;                     // [m], < 0 penetrates: normal·(point_b - point_a)
  std::uint64_t key = 0;                // which features: the same for small motions
};

/// Points of one pair.
using Manifold = std::vector<ContactGeometryPoint>;

}  // namespace cornet
