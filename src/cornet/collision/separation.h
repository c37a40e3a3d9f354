#pragma once

#include "cornet/collision/contact_feature.h"
#include "cornet/collision/core.h"

/// Signed distance of two cores and the direction it is measured in.
///
///   apart:        the distance of their closest points
///   overlapping:  -depth, the shortest way apart: the largest separation over all face normals and
///                 all cross products of edges whose arcs meet on the Gauss map               (COL-2)
namespace cornet {

struct Separation {
  double distance = 0.0;                 // of the cores [m]
  Vector3d normal = Vector3d::UnitZ();   // from A to B
  Vector3d point_a = Vector3d::Zero();   // closest points of the cores; where they overlap points of
  Vector3d point_b = Vector3d::Zero();   // their surfaces that are deepest along the normal
  ContactFeature feature;                // what normal and points belong to, without radii
};

/// False, and nothing said, when the cores are further apart than `limit`.
bool separate(const PlacedCore& a, const PlacedCore& b, double limit, Separation& result);

}  // namespace cornet
