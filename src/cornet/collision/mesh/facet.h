#pragma once

#include "cornet/collision/mesh/triangle_mesh.h"
#include "cornet/collision/separation.h"

/// One triangle of a surface as a convex core meets it, with what its surroundings allow.
namespace cornet {

/// What touches what, by place: corner or edge k of the triangle; vertex, edge or face of the core.
struct Touch {
  enum class On : std::uint8_t { vertex, edge, face };
  On on_a = On::face;
  On on_b = On::vertex;
  int place_a = 0;
  int place_b = 0;
};

/// Of the triangle: this far out is still over it.
inline constexpr double kOverSlack = 1e-7;

/// A triangle placed in a frame F.
class Facet {
 public:
  Facet(const TriangleMesh& mesh, int triangle, const Pose& X_FA);

  const TriangleMesh& mesh() const { return mesh_; }
  int triangle() const { return triangle_; }
  const Vector3d& corner(int k) const { return corners_[k]; }
  const Vector3d& normal() const { return normal_; }
  const Pose& pose() const { return X_FA_; }
  double size() const { return size_; }
  /// Whether some edge is convex or a boundary, so that directions besides the normal are possible.
  bool hasRidge() const { return has_ridge_; }
  bool isRidge(int k) const;
  /// The normal behind edge k: of the neighbour, or straight out beyond a boundary.
  Vector3d calcNormalBehind(int k) const;
  /// Whether a point lies over the triangle, or within `slack` of it.
  bool covers(const Vector3d& x, double slack) const;
  /// Which part of the triangle a point on it belongs to.
  Touch findPlace(const Vector3d& x) const;
  /// Whether the surface faces in direction d at an edge or corner.
  bool isOutwardAtEdge(int k, const Vector3d& d) const;
  bool isOutwardAtCorner(int k, const Vector3d& d) const;

 private:
  const TriangleMesh& mesh_;
  int triangle_;
  const Pose& X_FA_;
  Vector3d corners_[3];
  Vector3d normal_;
  double size_;
  bool has_ridge_ = false;
};

/// Direction and distance in which a facet meets a core (COL-10). The distance is infinite, and nothing
/// touches, where a direction is known but not the place. False when they are further apart than
/// `limit`, or the core is behind.
bool separateFacet(const Facet& facet, const PlacedCore& core, double limit, Separation& result,
                   Touch& touch);

}  // namespace cornet
