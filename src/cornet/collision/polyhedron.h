#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cornet/math/types.h"

/// A convex polyhedron with its faces, edges and planes; and the integrals over closed surfaces.
///
/// Integrals over a body bounded by triangles (a, b, c), outward: sums over the tetrahedra with the
/// origin, exact up to rounding:
///
///   V = Σ det/6,   ∫x = Σ det/24 (a+b+c),   ∫x xᵀ = Σ det/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ),  s = a+b+c     (COL-1)
namespace cornet {

/// Volume [m³], centre [m] and inertia about the centre per unit density [m⁵].
struct VolumeProperties {
  double volume = 0.0;
  Vector3d centre = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();
};

class Polyhedron {
 public:
  struct Face {
    Vector3d normal;       // outward, unit
    double offset;         // normal·x = offset on the face
    int begin, end;        // its vertices in `loop`, counterclockwise seen from outside
  };
  struct Edge {
    int a, b;              // vertices
    int left, right;       // faces
  };

  Polyhedron() = default;

  /// A box with these half extents.
  static Polyhedron makeBox(const Vector3d& half);
  /// The convex hull of points. Facets that are coplanar to rounding are joined. Throws
  /// std::invalid_argument beginning with `name` when there are fewer than four points, one is not
  /// finite, or all lie in a plane.
  static Polyhedron makeHull(std::span<const Vector3d> points, std::string_view name);
  /// Becomes a triangle, as a polyhedron of two faces back to back.
  void setTriangle(const Vector3d& a, const Vector3d& b, const Vector3d& c);

  /// The same for copies of one polyhedron and no other: for caches. 0 for triangles.
  std::uint64_t id() const { return id_; }

  const std::vector<Vector3d>& vertices() const { return vertices_; }
  const std::vector<Face>& faces() const { return faces_; }
  const std::vector<Edge>& edges() const { return edges_; }
  std::span<const int> loop(int face) const {
    return {loop_.data() + faces_[face].begin,
            static_cast<std::size_t>(faces_[face].end - faces_[face].begin)};
  }
  /// Index of the vertex furthest along d; the smallest index of equals.
  int supportVertex(const Vector3d& d) const;
  /// Index of the face whose normal is most along d.
  int supportFace(const Vector3d& d) const;

  VolumeProperties calcVolumeProperties() const;

 private:
  static std::uint64_t makeId();
  void addFace(std::span<const int> loop);
  void findEdges();

  std::vector<Vector3d> vertices_;
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
  std::vector<int> loop_;
  std::uint64_t id_ = 0;
};

/// (COL-1) for a closed surface of outward triangles, three vertex indices each.
VolumeProperties calcVolumeProperties(std::span<const Vector3d> vertices,
                                      std::span<const int> triangles);

}  // namespace cornet
