#include "support/random_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet::test {
namespace {

double levelOf(const Sphere& s, const Vector3d& x) { return x.norm() - s.radius; }
double levelOf(const Box& s, const Vector3d& x) { return (x.cwiseAbs() - s.half()).maxCoeff(); }
double levelOf(const Capsule& s, const Vector3d& x) {
  const double z = std::clamp(x.z(), -s.half_length, s.half_length);
  return (x - Vector3d(0.0, 0.0, z)).norm() - s.radius;
}
double levelOf(const Cylinder& s, const Vector3d& x) {
  return std::max(std::abs(x.z()) - s.half_length, std::hypot(x.x(), x.y()) - s.radius);
}
double levelOf(const Cone& s, const Vector3d& x) {
  const double height = 2.0 * s.half_length;
  const double side = (height * std::hypot(x.x(), x.y()) + s.radius * (x.z() - s.half_length)) /
                      std::hypot(height, s.radius);
  return std::max(side, -s.half_length - x.z());
}
double levelOf(const Ellipsoid& s, const Vector3d& x) {
  const Vector3d y = x.cwiseQuotient(s.radii);
  return y.norm() * (y.norm() - 1.0) / y.cwiseQuotient(s.radii).norm();
}
double levelOf(const ConvexHull& s, const Vector3d& x) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Polyhedron::Face& face : s.polyhedron().faces()) {
    most = std::max(most, face.normal.dot(x) - face.offset);
  }
  return most;
}
double levelOf(const HalfSpace&, const Vector3d& x) { return x.z(); }
double levelOf(const TriangleMesh&, const Vector3d&) { return std::numeric_limits<double>::quiet_NaN(); }
double levelOf(const HeightField&, const Vector3d&) { return std::numeric_limits<double>::quiet_NaN(); }
double levelOf(const Bowl& s, const Vector3d& x) { return s.radius - x.norm(); }

}  // namespace

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Vector3d randomDirection(Random& random) {
  std::normal_distribution<double> normal;
  return Vector3d(normal(random), normal(random), normal(random)).normalized();
}

Matrix3d randomRotation(Random& random) {
  std::normal_distribution<double> normal;
  return Quaterniond(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

Shape makeShape(const std::string& kind, Random& random) {
  const auto length = [&random](double most) { return uniform(random, 0.1, most); };
  if (kind == "sphere") return Sphere{length(1.0)};
  if (kind == "capsule") return Capsule{length(0.5), length(1.0)};
  if (kind == "box") return Box({length(1.0), length(1.0), length(1.0)});
  if (kind == "cylinder") return Cylinder{length(0.7), length(1.0)};
  if (kind == "cone") return Cone{length(0.7), length(1.0)};
  if (kind == "ellipsoid") return Ellipsoid{{length(1.0), length(1.0), length(1.0)}};
  std::vector<Vector3d> points;
  for (int k = 0; k < 12; ++k) points.push_back(uniform(random, 0.3, 1.0) * randomDirection(random));
  return ConvexHull(points);
}

double separationAlong(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       const Vector3d& n) {
  const Vector3d far_a = X_WA.R * calcSupport(a, X_WA.R.transpose() * n);
  const Vector3d near_b = X_WB.R * calcSupport(b, -(X_WB.R.transpose() * n));
  return n.dot(X_WB.p - X_WA.p) + n.dot(near_b) - n.dot(far_a);
}

double level(const Shape& shape, const Pose& X_WS, const Vector3d& x_W) {
  const Vector3d x = X_WS.R.transpose() * (x_W - X_WS.p);
  return std::visit([&x](const auto& s) { return levelOf(s, x); }, shape);
}

Shape scaled(const Shape& shape, double factor) {
  if (const Sphere* s = std::get_if<Sphere>(&shape)) return Sphere{factor * s->radius};
  if (const Box* s = std::get_if<Box>(&shape)) return Box(factor * s->half());
  if (const Capsule* s = std::get_if<Capsule>(&shape)) {
    return Capsule{factor * s->radius, factor * s->half_length};
  }
  if (const Cylinder* s = std::get_if<Cylinder>(&shape)) {
    return Cylinder{factor * s->radius, factor * s->half_length};
  }
  if (const Cone* s = std::get_if<Cone>(&shape)) return Cone{factor * s->radius, factor * s->half_length};
  if (const Ellipsoid* s = std::get_if<Ellipsoid>(&shape)) return Ellipsoid{factor * s->radii};
  if (const ConvexHull* s = std::get_if<ConvexHull>(&shape)) {
    std::vector<Vector3d> points = s->polyhedron().vertices();
    for (Vector3d& point : points) point *= factor;
    return ConvexHull(points);
  }
  return shape;
}

}  // namespace cornet::test
