#pragma once

#include "cornet/collision/contact_set.h"
#include "cornet/collision/manifold.h"

namespace cornet {

/// Contacts of a half-space (A) with a bounded shape (B), by the points of B that are lowest: corners of
/// its lowest face, ends of its axis, four points of its rim.                                  (COL-4)
void addHalfSpaceManifold(const Pose& X_FA, const Shape& shape, const Pose& X_FB,
                          const ManifoldOptions& options, Manifold& manifold);

}  // namespace cornet
