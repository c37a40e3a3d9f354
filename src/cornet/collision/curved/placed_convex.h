#pragma once

#include <vector>

#include "cornet/collision/curved/piece.h"
#include "cornet/collision/shape.h"

/// A convex shape at a pose in a frame F: its support function
///
///   h(n) = max { n·x : x in the shape },                                                      (COL-12)
///
/// and the pieces of its surface that can be furthest along a direction near n.
namespace cornet {

class PlacedConvex {
 public:
  /// Any shape but a half-space. The shape must outlive the use.
  void place(const Shape& shape, const Pose& X_FS);
  /// A triangle, corners in F.
  void placeTriangle(const Vector3d& a, const Vector3d& b, const Vector3d& c);

  const Pose& pose() const { return pose_; }
  /// Null for a triangle.
  const Shape* shape() const { return shape_; }
  /// Of a box, hull or triangle; else null.
  const Polyhedron* polyhedron() const { return polyhedron_; }
  /// A point inside.
  Vector3d centre() const;
  /// A length that rounding is compared with.
  double size() const { return size_; }

  Vector3d support(const Vector3d& n) const;
  /// (COL-12), relative to the origin of F.
  double reach(const Vector3d& n) const;
  /// Appends the pieces that may be furthest along directions that miss n by up to `miss` (radians, small
  /// numbers), likely ones first; x is the point of each that is close to `near`.
  void findPieces(const Vector3d& n, const Vector3d& near, double miss, std::vector<Piece>& pieces) const;
  /// Whether the point of a plane lies in its face, or outside by less than `slack`.
  bool isInFace(const Piece& plane, double slack) const;

 private:
  void findOfPolyhedron(const Vector3d& d, const Vector3d& near, double miss,
                        std::vector<Piece>& pieces) const;
  void findOfCylinder(const Cylinder& shape, const Vector3d& d, const Vector3d& near, double miss,
                      std::vector<Piece>& pieces) const;
  void findOfCone(const Cone& shape, const Vector3d& d, const Vector3d& near, double miss,
                  std::vector<Piece>& pieces) const;
  void findOfCapsule(const Capsule& shape, const Vector3d& d, const Vector3d& near, double miss,
                     std::vector<Piece>& pieces) const;
  Piece makeRim(double z, double radius, const Vector3d& d, const Vector3d& near) const;
  Piece makeBase(double z, double sign, const Vector3d& near) const;

  const Shape* shape_ = nullptr;
  const Polyhedron* polyhedron_ = nullptr;
  Polyhedron triangle_;
  Pose pose_;
  double size_ = 0.0;
};

}  // namespace cornet
