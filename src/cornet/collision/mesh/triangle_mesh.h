#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cornet/collision/mesh/mesh_tree.h"
#include "cornet/collision/polyhedron.h"
#include "cornet/math/types.h"

/// A surface of triangles, solid on the side their normals point away from, and what contact with it
/// needs to know about its edges:
///
///   flat      the neighbours lie in one plane to within 1e-10 rad: no edge at all
///   convex    a ridge: bodies can rest on it
///   concave   a valley: bodies touch the faces beside it
///   boundary  of an open surface (or where more than two triangles meet): like a ridge over a cliff
///
/// Triangles that are joined by flat edges form a patch. Vertices at the same place are one, as in files that list
/// every triangle on its own. Copies share their data.
namespace cornet {

class TriangleMesh {
 public:
  enum class EdgeKind : std::uint8_t { flat, convex, concave, boundary };

  /// Three vertex indices a triangle, counterclockwise seen from outside. Throws std::invalid_argument
  /// beginning with `name` when an index or coordinate is impossible, or a triangle has no area.
  TriangleMesh(std::vector<Vector3d> vertices, std::vector<int> triangles,
               std::string_view name = "triangle mesh");

  int triangleCount() const { return static_cast<int>(data_->triangles.size() / 3); }
  const std::vector<Vector3d>& vertices() const { return data_->vertices; }
  const std::vector<int>& triangles() const { return data_->triangles; }
  /// Of the edge from corner k to the next.
  int neighbour(int triangle, int k) const { return data_->neighbours[3 * triangle + k]; }
  EdgeKind edgeKind(int triangle, int k) const { return data_->edge_kinds[3 * triangle + k]; }
  /// The same number seen from both sides of an edge.
  int edgeName(int triangle, int k) const;
  int patch(int triangle) const { return data_->patches[triangle]; }
  /// Whether all edges at a vertex are flat.
  bool isFlat(int vertex) const { return data_->flat_vertices[vertex]; }
  const Vector3d& corner(int triangle, int k) const {
    return data_->vertices[data_->triangles[3 * triangle + k]];
  }
  /// Unit normal, outward.
  Vector3d calcNormal(int triangle) const;
  /// Visits the triangles around corner k, each with its place of the vertex, until visit(t, j) says
  /// false. Returns whether it never did.
  template <class Visitor>
  bool visitRing(int triangle, int k, Visitor visit) const;
  /// Whether d points out of the surface's neighbourhood of a vertex: no edge from it leads along d.
  bool isOutward(int triangle, int k, const Vector3d& d) const;
  static constexpr double kOutward = 1e-10;  // sine by which an edge may lead along an outward direction

  const MeshTree& tree() const { return data_->tree; }

  /// Volume, centre, inertia. Throws std::invalid_argument beginning with `name` when the surface is
  /// open, crosses itself, or is inside out, and says where.
  VolumeProperties calcVolumeProperties(std::string_view name = "triangle mesh") const;

 private:
  struct Data {
    std::vector<Vector3d> vertices;
    std::vector<int> triangles;
    std::vector<int> neighbours;        // a triangle for each edge, -1: none
    std::vector<EdgeKind> edge_kinds;   // for each edge of each triangle
    std::vector<int> patches;           // smallest triangle of the patch
    std::vector<bool> flat_vertices;
    MeshTree tree;
  };

  static void weld(Data& data);
  void findNeighbours(Data& data) const;
  void classifyEdges(Data& data) const;
  void findPatches(Data& data) const;

  std::shared_ptr<const Data> data_;
};

// One way round; from a boundary back to the start, and the other way.
template <class Visitor>
bool TriangleMesh::visitRing(int triangle, int k, Visitor visit) const {
  const int vertex = data_->triangles[3 * triangle + k];
  for (const int turn : {2, 0}) {
    int t = triangle;
    do {
      int j = 0;
      while (data_->triangles[3 * t + j] != vertex) ++j;
      if ((turn == 2 || t != triangle) && !visit(t, j)) return false;
      t = neighbour(t, (j + turn) % 3);
    } while (t >= 0 && t != triangle);
    if (t == triangle) return true;
  }
  return true;
}

/// Indices of two triangles of a mesh that pass through each other, or {-1, -1}. Parts that lie flat in each other
/// do not.
std::pair<int, int> findSelfIntersection(const TriangleMesh& mesh);

}  // namespace cornet
