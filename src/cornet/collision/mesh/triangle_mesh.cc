#include "cornet/collision/mesh/triangle_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <Eigen/Geometry>
#include <fmt/format.h>

namespace cornet {
namespace {

constexpr double kFlatSine = 1e-10;  // between neighbours of one plane
constexpr double kNoArea = 1e-14;    // of the square of the longest edge
constexpr int kMaxTriangles = std::numeric_limits<int>::max() / 3;

void requireVertices(const std::vector<Vector3d>& vertices, std::string_view name) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i].allFinite()) continue;
    throw std::invalid_argument(fmt::format("{}: vertex {} = ({}, {}, {}) is not finite", name, i,
                                            vertices[i].x(), vertices[i].y(), vertices[i].z()));
  }
}

void requireTriangles(const std::vector<Vector3d>& vertices, const std::vector<int>& triangles,
                      std::string_view name) {
  if (triangles.empty() || triangles.size() % 3 != 0) {
    throw std::invalid_argument(fmt::format(
        "{}: {} vertex indices: expected three for each triangle, and at least one triangle", name,
        triangles.size()));
  }
  if (triangles.size() / 3 > kMaxTriangles) {
    throw std::invalid_argument(fmt::format("{}: {} triangles: at most {} are possible; split the mesh",
                                            name, triangles.size() / 3, kMaxTriangles));
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (triangles[i] >= 0 && static_cast<std::size_t>(triangles[i]) < vertices.size()) continue;
    throw std::invalid_argument(fmt::format("{}: triangle {} names vertex {}, but there are {} vertices",
                                            name, i / 3, triangles[i], vertices.size()));
  }
  for (std::size_t t = 0; 3 * t < triangles.size(); ++t) {
    const Vector3d& a = vertices[triangles[3 * t]];
    const Vector3d ab = vertices[triangles[3 * t + 1]] - a;
    const Vector3d ac = vertices[triangles[3 * t + 2]] - a;
    const double longest2 = std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()});
    if (ab.cross(ac).norm() > kNoArea * longest2) continue;
    throw std::invalid_argument(fmt::format(
        "{}: triangle {} (vertices {}, {}, {}) has no area; remove it", name, t, triangles[3 * t],
        triangles[3 * t + 1], triangles[3 * t + 2]));
  }
}

// An edge as both its triangles know it.
struct Edge {
  std::uint64_t vertices;  // the smaller index first
  int place;               // 3 triangle + k
  bool operator<(const Edge& other) const {
    return vertices != other.vertices ? vertices < other.vertices : place < other.place;
  }
};

}  // namespace

TriangleMesh::TriangleMesh(std::vector<Vector3d> vertices, std::vector<int> triangles,
                           std::string_view name) {
  requireVertices(vertices, name);
  requireTriangles(vertices, triangles, name);
  auto data = std::make_shared<Data>();
  data->vertices = std::move(vertices);
  data->triangles = std::move(triangles);
  weld(*data);
  data->tree = MeshTree(data->vertices, data->triangles);
  findNeighbours(*data);
  data_ = data;
  classifyEdges(*data);
  findPatches(*data);
}

// Triangles name the first of all vertices at one place.
void TriangleMesh::weld(Data& data) {
  std::vector<int> order(data.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&data](int i) {
    const Vector3d& x = data.vertices[i];
    return std::array<double, 3>{x.x(), x.y(), x.z()};
  };
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return std::pair(place(i), i) < std::pair(place(j), j); });
  std::vector<int> first(data.vertices.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && place(order[k]) == place(order[k - 1]);
    first[order[k]] = same ? first[order[k - 1]] : order[k];
  }
  for (int& v : data.triangles) v = first[v];
}

// Two triangles are neighbours when they run along an edge in opposite directions and no third does.
void TriangleMesh::findNeighbours(Data& data) const {
  const std::vector<int>& triangles = data.triangles;
  std::vector<Edge> edges(triangles.size());
  const auto start = [&](int place) { return triangles[place]; };
  const auto end = [&](int place) { return triangles[place % 3 == 2 ? place - 2 : place + 1]; };
  for (int place = 0; place < static_cast<int>(edges.size()); ++place) {
    const auto [low, high] = std::minmax({start(place), end(place)});
    edges[place] = {static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high), place};
  }
  std::sort(edges.begin(), edges.end());
  data.neighbours.assign(triangles.size(), -1);
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t j = i;
    while (j < edges.size() && edges[j].vertices == edges[i].vertices) ++j;
    if (j - i == 2 && start(edges[i].place) == end(edges[i + 1].place)) {
      data.neighbours[edges[i].place] = edges[i + 1].place / 3;
      data.neighbours[edges[i + 1].place] = edges[i].place / 3;
    }
    i = j;
  }
}

void TriangleMesh::classifyEdges(Data& data) const {
  data.edge_kinds.assign(data.triangles.size(), EdgeKind::boundary);
  data.flat_vertices.assign(data.vertices.size(), true);
  for (int t = 0; t < triangleCount(); ++t) {
    const Vector3d normal = calcNormal(t);
    for (int k = 0; k < 3; ++k) {
      const int other = neighbour(t, k);
      EdgeKind kind = EdgeKind::boundary;
      if (other >= 0) {
        const Vector3d theirs = calcNormal(other);
        const Vector3d along = (corner(t, (k + 1) % 3) - corner(t, k)).normalized();
        const double sine = normal.cross(theirs).dot(along);
        const bool flat = std::abs(sine) <= kFlatSine && normal.dot(theirs) > 0.0;
        kind = flat ? EdgeKind::flat : sine > 0.0 ? EdgeKind::convex : EdgeKind::concave;
      }
      data.edge_kinds[3 * t + k] = kind;
      if (kind == EdgeKind::flat) continue;
      data.flat_vertices[data.triangles[3 * t + k]] = false;
      data.flat_vertices[data.triangles[3 * t + (k + 1) % 3]] = false;
    }
  }
}

// Floods each patch from its first triangle.
void TriangleMesh::findPatches(Data& data) const {
  data.patches.assign(triangleCount(), -1);
  std::vector<int> stack;
  for (int seed = 0; seed < triangleCount(); ++seed) {
    if (data.patches[seed] >= 0) continue;
    data.patches[seed] = seed;
    stack.assign(1, seed);
    while (!stack.empty()) {
      const int t = stack.back();
      stack.pop_back();
      for (int k = 0; k < 3; ++k) {
        const int other = neighbour(t, k);
        if (edgeKind(t, k) != EdgeKind::flat || data.patches[other] >= 0) continue;
        data.patches[other] = seed;
        stack.push_back(other);
      }
    }
  }
}

int TriangleMesh::edgeName(int triangle, int k) const {
  const int other = neighbour(triangle, k);
  if (other < 0 || triangle < other) return 3 * triangle + k;
  for (int j = 0; j < 3; ++j) {
    if (neighbour(other, j) == triangle && data_->triangles[3 * other + j] ==
                                               data_->triangles[3 * triangle + (k + 1) % 3]) {
      return 3 * other + j;
    }
  }
  return 3 * triangle + k;
}

Vector3d TriangleMesh::calcNormal(int triangle) const {
  const Vector3d& a = corner(triangle, 0);
  return (corner(triangle, 1) - a).cross(corner(triangle, 2) - a).normalized();
}

bool TriangleMesh::isOutward(int triangle, int k, const Vector3d& d) const {
  const Vector3d& x = corner(triangle, k);
  const auto leadsAlong = [&](const Vector3d& end) {
    const Vector3d edge = end - x;
    return edge.dot(d) > kOutward * edge.norm();
  };
  return visitRing(triangle, k, [&](int t, int j) {
    return !leadsAlong(corner(t, (j + 1) % 3)) && !leadsAlong(corner(t, (j + 2) % 3));
  });
}

VolumeProperties TriangleMesh::calcVolumeProperties(std::string_view name) const {
  for (int t = 0; t < triangleCount(); ++t) {
    for (int k = 0; k < 3; ++k) {
      if (neighbour(t, k) >= 0) continue;
      throw std::invalid_argument(fmt::format(
          "{}: the surface is open at the edge between vertices {} and {} of triangle {}, so it has no "
          "volume; close it, or give mass and inertia",
          name, data_->triangles[3 * t + k], data_->triangles[3 * t + (k + 1) % 3], t));
    }
  }
  if (const auto [s, t] = findSelfIntersection(*this); s >= 0) {
    throw std::invalid_argument(fmt::format(
        "{}: triangles {} and {} pass through each other, so its volume is not defined; repair the "
        "mesh, or give mass and inertia",
        name, s, t));
  }
  const VolumeProperties result = cornet::calcVolumeProperties(vertices(), triangles());
  if (result.volume > 0.0) return result;
  throw std::invalid_argument(fmt::format(
      "{}: its volume is {} m³: the triangles are inside out; reverse their order of vertices", name,
      result.volume));
}

}  // namespace cornet
