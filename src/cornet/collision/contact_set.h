#pragma once

#include <cstdint>
#include <vector>

#include "cornet/collision/contact_feature.h"

namespace cornet {

/// A point where two shapes touch or nearly do.
struct ManifoldPoint {
  Vector3d point_a = Vector3d::Zero();  // on the surface of A, world
  Vector3d point_b = Vector3d::Zero();  // on the surface of B, world
  Vector3d normal = Vector3d::UnitZ();  // unit, from A into B, world
  double gap = 0.0;                     // [m], < 0 penetrates: normal·(point_b - point_a)
  std::uint64_t key = 0;                // which features: the same for small motions
  ContactFeature feature;               // world
};

/// Points of one pair.
using Manifold = std::vector<ManifoldPoint>;

/// Contacts as flat arrays: contact i is entry i of each.
struct ContactSet {
  int size() const { return static_cast<int>(gap.size()); }
  void clear();

  std::vector<int> body_a, body_b;
  std::vector<int> shape_a, shape_b;
  std::vector<Vector3d> point_a, point_b;  // on the surfaces, world
  std::vector<Vector3d> normal;            // from A into B, world
  std::vector<double> gap;                 // [m], < 0 penetrates
  std::vector<std::uint64_t> key;          // names the features, and the pair of shapes
  std::vector<int> material_a, material_b;
  std::vector<ContactFeature> feature;     // in the frames of the shapes
};

}  // namespace cornet
