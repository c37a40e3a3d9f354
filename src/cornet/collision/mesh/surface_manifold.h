#pragma once

#include <memory>
#include <vector>

#include "cornet/collision/contact_set.h"
#include "cornet/collision/manifold.h"
#include "cornet/collision/shape.h"

/// Contacts of a surface of triangles (A) with a convex shape (B).
///
/// Each triangle near B is met like a face of a convex body, but only in directions in which its surface
/// faces outward: its normal; over a ridge or a corner everything between the normals around it. Valleys
/// and flat edges offer nothing of their own. Among these directions
///
///   apart:        that of the closest points, if it is one of them
///   otherwise:    the one with the largest separation, of normals, faces of B, crossed edges    (COL-10)
///
/// and the contacts are those of the sides that face each other (COL-3), without corners and crossings
/// that belong to flat edges. A flat floor therefore acts as one face, however it is cut up: the contacts
/// are B's, with the floor's normal. Contacts that several triangles report are one; they are named after
/// the mesh's vertex, edge or patch. Cylinders, cones and ellipsoids meet triangles through the plane
/// (COL-4) and, with coal, ridges and corners by their closest points. A body that is wholly behind a triangle is not seen by it.
namespace cornet {

class Facet;

/// Where a contact of a round shape (B) with a triangle's plane has gone, at other poses: point.feature
/// holds the plane, and where the contact was on B; both in one frame.
void refreshRoundContact(const Shape& shape, const Pose& X_FB, Manifold& scratch, ManifoldPoint& point);

class SurfaceManifold {
 public:
  SurfaceManifold();
  ~SurfaceManifold();
  SurfaceManifold(SurfaceManifold&&) noexcept;
  SurfaceManifold& operator=(SurfaceManifold&&) noexcept;

  /// Appends contacts, in F, ordered by key; at most options.max_points for each normal, and 64 in all.
  void add(const TriangleMesh& surface, const Pose& X_FA, const Shape& shape, const Pose& X_FB,
           const ManifoldOptions& options, Manifold& manifold);

 private:
  void addCore(const Facet& facet, const ManifoldOptions& options);
  void addRound(const Facet& facet, const Shape& shape, const Pose& X_FB,
                const ManifoldOptions& options);
  void addRoundRidge(const Facet& facet, const ManifoldOptions& options);
  void keep(const ManifoldPoint& point, std::uint64_t key);

  struct Round;
  // Where a patch ends in a ridge: the normal beyond it, and a point of it.
  struct Ridge {
    int patch;
    Vector3d normal;
    Vector3d point;
  };
  void findRidges(const TriangleMesh& surface, const Pose& X_FA);
  template <class Lowest>
  bool isDeeperThanAcross(const Facet& facet, double separation, Lowest lowest) const;

  PlacedCore core_;
  std::unique_ptr<Round> round_;  // for shapes without a core
  std::vector<int> near_;
  std::vector<Ridge> ridges_;  // by patch
  Manifold kept_;     // by all triangles
  Manifold scratch_;
  ContactSide side_a_, side_b_;
  bool reached_ = false;  // whether B's box meets that of the triangle
};

}  // namespace cornet
