#pragma once

#include "cornet/collision/core.h"
#include "cornet/collision/manifold.h"

/// Contacts with the inside of a sphere of radius R about c. Distance from c is a convex function: on any
/// segment it is largest at an end, so that a shape goes deepest with vertices x of its core, rounded by r:
///
///   n = (c - x)/‖x - c‖,   gap = R - r - ‖x - c‖                                                (COL-17)
///
/// but for the end of a capsule that is its closest point to c. Exact for bodies in the hollow; of one that
/// sticks out every vertex has its own depth.
namespace cornet {

/// Appends the contacts of a core, in its frame F; the bowl stands at X_FA. A normal that no direction
/// defines, at the centre, is z of F.
void addBowlManifold(const Bowl& bowl, const Pose& X_FA, const PlacedCore& core,
                     const ManifoldOptions& options, Manifold& manifold);

}  // namespace cornet
