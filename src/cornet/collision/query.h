#pragma once

#include <limits>
#include <optional>

#include "cornet/collision/contact_set.h"
#include "cornet/collision/shape.h"

/// Questions about shapes other than their contacts: rays, overlap, distance.
///
/// A shape is a closed convex solid, so a ray x(t) = origin + t d, d the unit direction, is in it for one
/// interval of t. Solids bounded by planes and quadrics cut it out one after the other:
///
///   [t_in, t_out] = ∩ { t : n·x(t) ≤ c }  ∩  { t : quadric(x(t)) ≤ 0 }
///   hit at max(t_in, 0) if t_out ≥ 0                                                           (COL-7)
///
/// A ray that starts in a solid, or on its surface, hits it at distance 0. Inside there is no surface to
/// speak of: `inside` is set, the point is the origin and the normal points against the ray.
/// A bowl is solid around its hollow: rays that start in the hollow hit where they leave it.
/// Meshes and height fields are surfaces: the first triangle is hit, from either side, with its outward
/// normal. t is counted from the point of the ray nearest to the frame of the shape, so that from afar nothing is
/// lost but the rounding of the origin.
namespace cornet {

struct Ray {
  Vector3d origin = Vector3d::Zero();
  Vector3d direction = Vector3d::UnitX();  // any length but 0
  double max_distance = std::numeric_limits<double>::infinity();  // [m]
};

struct RayHit {
  double distance = 0.0;                // [m] from the origin, whatever the length of the direction
  Vector3d point = Vector3d::Zero();    // on the surface, world
  Vector3d normal = Vector3d::UnitZ();  // outward, unit, world
  bool inside = false;                  // the ray starts in the solid
};

/// Throws std::invalid_argument when a number is not finite, the direction is zero or max_distance < 0.
void validate(const Ray& ray);

/// First point of the shape on the ray. Throws as validate, and for a pose that is not finite.
std::optional<RayHit> rayCast(const Shape& shape, const Pose& X_WS, const Ray& ray);

/// Whether two shapes have a point in common; touching counts. Throws std::invalid_argument naming the
/// shapes of a pair that is not supported. For many calls NarrowPhase keeps its buffers.
bool overlap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

/// Signed distance, with the points and direction it is measured at. Throws as overlap.
ManifoldPoint calcDistance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

}  // namespace cornet
