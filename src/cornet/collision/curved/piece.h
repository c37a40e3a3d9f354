#pragma once

#include <cstdint>

#include "cornet/math/types.h"

/// A smooth piece of a convex surface, or the core of one that a radius rounds:
///
///   point      x = o
///   line       x = o + s u                        |s| ≤ 1       edge; axis of a capsule or cylinder
///   plane      x = o + s u + t v                                face, base
///   circle     x = o + u cos θ + v sin θ                        rim
///   cone       x = o + s (w + u cos θ + v sin θ)  0 ≤ s ≤ 1     side of a cone, o its apex
///   ellipsoid  x = o + (u v w) y                  |y| = 1
///
/// At its point x a piece has tangents J = ∂x/∂α and, along n, the curvature H = ∂²(n·x)/∂α². Parameters
/// are lengths: the columns of J are unit vectors.                                             (COL-13)
namespace cornet {

struct Piece {
  enum class Kind : std::uint8_t { point, line, plane, circle, cone, ellipsoid };
  Kind kind = Kind::point;
  Vector3d origin = Vector3d::Zero();
  Matrix3d axes = Matrix3d::Zero();  // u, v, w
  double radius = 0.0;               // rounds the core
  int id = 0;                        // face, edge or vertex of a polyhedron; end of an axis
  double s = 0.0, t = 0.0;           // where x is; t is θ of circles and cones
  Vector3d y = Vector3d::UnitZ();    // of ellipsoids

  int freedom() const;
  Vector3d point() const;
  /// Tangents and curvature along n; returns the freedom.
  int expand(const Vector3d& n, Eigen::Matrix<double, 3, 2>& J, Eigen::Matrix2d& H) const;
  /// Moves x by a step in the parameters of `expand`.
  void move(const Eigen::Vector2d& step);
  /// Whether x is within the ends of a line or the length of a cone. Borders of planes are not known.
  bool isWithin(double slack) const;
};

Piece makePoint(const Vector3d& x, double radius, int id);
/// The line from a to b, at its point closest to `near`.
Piece makeLine(const Vector3d& a, const Vector3d& b, double radius, const Vector3d& near, int id);
/// The plane through o with this normal, at its point closest to `near`.
Piece makePlane(const Vector3d& o, const Vector3d& normal, const Vector3d& near, int id);

}  // namespace cornet
