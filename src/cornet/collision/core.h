#pragma once

#include <vector>

#include "cornet/collision/contact_feature.h"
#include "cornet/collision/shape.h"

/// The core of a shape: what is left when its rounding is taken off. A sphere is a point with a radius,
/// a capsule a segment with a radius, a polyhedron is its own core.
namespace cornet {

/// A core placed in a frame F. Vertices are copied, topology is borrowed.
class PlacedCore {
 public:
  /// Takes the core of the shape at the pose X_FS. The shape must outlive the use. False when the shape
  /// has none (cylinder, cone, ellipsoid, half-space).
  bool place(const Shape& shape, const Pose& X_FS);

  double radius() const { return radius_; }
  const std::vector<Vector3d>& vertices() const { return vertices_; }
  bool isPoint() const { return vertices_.size() == 1; }
  bool isSegment() const { return vertices_.size() == 2; }
  bool isPolyhedron() const { return polyhedron_ != nullptr; }
  const Polyhedron& polyhedron() const { return *polyhedron_; }
  /// Half extents if it is a box, else nullptr.
  const Vector3d* half() const { return half_; }
  const Pose& pose() const { return pose_; }

  Vector3d faceNormal(int f) const { return pose_.R * polyhedron_->faces()[f].normal; }
  /// n·x - offset of a face for x in F.
  double faceDistance(int f, const Vector3d& x) const;
  /// The face of a polyhedron that x is furthest outside of, or least inside; how far, and whether it is
  /// outside of any.
  int furthestFace(const Vector3d& x, double& distance, bool& outside) const;
  int supportFace(const Vector3d& d) const {
    return polyhedron_->supportFace(pose_.R.transpose() * d);
  }
  const Vector3d& support(const Vector3d& d) const;
  /// Closest point of a polyhedron to a point outside of it, as the plane, line or vertex it is on.
  Element closestElement(const Vector3d& x) const;
  /// A length that rounding is compared with.
  double size() const { return size_; }

 private:
  std::vector<Vector3d> vertices_;
  const Polyhedron* polyhedron_ = nullptr;
  const Vector3d* half_ = nullptr;
  Pose pose_;
  double radius_ = 0.0;
  double size_ = 0.0;
};

}  // namespace cornet
