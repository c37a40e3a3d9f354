#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "cornet/collision/bounds.h"
#include "cornet/collision/mesh/triangle_mesh.h"

namespace cornet {
namespace {

using Triangle = std::array<Vector3d, 3>;

constexpr double kCoplanar = 1e-12;  // volume, of the cube of the size

// Six times the volume of (a, b, c, d).
double orient(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  return (b - a).cross(c - a).dot(d - a);
}

// Whether the segment (p, q) passes through the inside of a triangle.
bool pierces(const Vector3d& p, const Vector3d& q, const Triangle& t) {
  const double above = orient(t[0], t[1], t[2], p);
  const double below = orient(t[0], t[1], t[2], q);
  // Coplanar to rounding is not through.
  const double size = std::max({(t[1] - t[0]).norm(), (t[2] - t[0]).norm(), (p - t[0]).norm(), (q - p).norm()});
  const double rounding = kCoplanar * size * size * size;
  if (!(above * below < 0.0) || std::min(std::abs(above), std::abs(below)) <= rounding) return false;
  const double u = orient(p, q, t[0], t[1]);
  const double v = orient(p, q, t[1], t[2]);
  const double w = orient(p, q, t[2], t[0]);
  return (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
}

bool cross(const Triangle& s, const Triangle& t) {
  for (int k = 0; k < 3; ++k) {
    if (pierces(s[k], s[(k + 1) % 3], t) || pierces(t[k], t[(k + 1) % 3], s)) return true;
  }
  return false;
}

Triangle cornersOf(const TriangleMesh& mesh, int t) {
  return {mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)};
}

}  // namespace

// Neighbours share a vertex or edge; an edge that ends in a triangle's corner does not pierce its inside.
std::pair<int, int> findSelfIntersection(const TriangleMesh& mesh) {
  std::vector<int> near;
  for (int t = 0; t < mesh.triangleCount(); ++t) {
    const Triangle own = cornersOf(mesh, t);
    const Bounds bounds{own[0].cwiseMin(own[1]).cwiseMin(own[2]),
                        own[0].cwiseMax(own[1]).cwiseMax(own[2])};
    mesh.tree().findOverlaps(bounds, near);
    for (const int other : near) {
      if (other > t && cross(own, cornersOf(mesh, other))) return {t, other};
    }
  }
  return {-1, -1};
}

}  // namespace cornet
