#pragma once

#include <memory>

#include "cornet/collision/contact_set.h"
#include "cornet/collision/manifold.h"
#include "cornet/collision/mesh/surface_manifold.h"

/// Contacts of one pair of shapes.
///
/// Everything is computed relative to the first shape's position, so that far from the origin nothing
/// is lost but the rounding of the positions. Swapping the shapes mirrors the result bit by bit: pairs are
/// put into an order of their own before anything is computed.
///
///   sphere, capsule, box, convex hull     against each other: closed forms on their cores      (COL-2), (COL-3)
///   half-space                            against every other shape: support function           (COL-4)
///   bowl                                  against sphere, capsule, box, convex hull             (COL-17)
///   mesh, height field                    against convex shapes: triangle by triangle           (COL-10)
///   cylinder, cone, ellipsoid             against all but half-spaces: coal, refined            (COL-14), (COL-16)
///   convex hulls with many edges          likewise, then (COL-3)
///
/// Buffers are kept between calls. Not for use by two threads at once.
namespace cornet {

class NarrowPhase {
 public:
  NarrowPhase();
  ~NarrowPhase();
  NarrowPhase(NarrowPhase&&) noexcept;
  NarrowPhase& operator=(NarrowPhase&&) noexcept;

  /// Whether contacts of these two shapes can be computed, in either order.
  static bool supports(const Shape& a, const Shape& b);

  /// Replaces `manifold` by the contacts with a gap of at most options.margin, world frame, ordered by
  /// key. Throws std::invalid_argument naming the shapes of a pair that is not supported.
  void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
               const ManifoldOptions& options, Manifold& manifold);

  /// The same with the shapes in the order given: for callers with an order of their own, whose keys
  /// must not depend on where bodies happen to be. A half-space, bowl, mesh or height field comes first.
  void collideInOrder(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                      const ManifoldOptions& options, Manifold& manifold);

  /// Signed distance of two supported shapes, with the points and direction it is measured at. Infinite
  /// for a shape that is wholly behind a surface.
  ManifoldPoint calcDistance(const Shape& a, const Pose& X_WA, const Shape& b,
                                    const Pose& X_WB);

 private:
  struct Curved;
  bool separateCurved(const Shape& a, const Pose& X_FA, const Shape& b, const Pose& X_FB, double limit,
                      Separation& separation);

  std::unique_ptr<Curved> curved_;
  PlacedCore core_a_, core_b_;
  SurfaceManifold surface_;
  Manifold scratch_;
};

}  // namespace cornet
