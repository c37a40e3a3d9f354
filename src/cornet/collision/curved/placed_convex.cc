#include "cornet/collision/curved/placed_convex.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

// A piece whose normals miss the direction by less than this (radians) is the first to try.
constexpr double kLikely = 1e-3;

double sizeOf(const Shape& shape) {
  if (const Box* s = std::get_if<Box>(&shape)) return s->half().norm();
  if (const Cylinder* s = std::get_if<Cylinder>(&shape)) return std::hypot(s->radius, s->half_length);
  if (const Cone* s = std::get_if<Cone>(&shape)) return std::hypot(s->radius, s->half_length);
  if (const Ellipsoid* s = std::get_if<Ellipsoid>(&shape)) return s->radii.maxCoeff();
  if (const Capsule* s = std::get_if<Capsule>(&shape)) return s->radius + s->half_length;
  if (const Sphere* s = std::get_if<Sphere>(&shape)) return s->radius;
  double size = 0.0;
  for (const Vector3d& v : std::get<ConvexHull>(shape).polyhedron().vertices()) {
    size = std::max(size, v.norm());
  }
  return size;
}

}  // namespace

void PlacedConvex::place(const Shape& shape, const Pose& X_FS) {
  shape_ = &shape;
  pose_ = X_FS;
  polyhedron_ = nullptr;
  if (const Box* box = std::get_if<Box>(&shape)) polyhedron_ = &box->polyhedron();
  if (const ConvexHull* hull = std::get_if<ConvexHull>(&shape)) polyhedron_ = &hull->polyhedron();
  size_ = sizeOf(shape);
}

void PlacedConvex::placeTriangle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  shape_ = nullptr;
  // Corners relative to the first, which is the origin of its frame.
  pose_ = Pose(Matrix3d::Identity(), a);
  triangle_.setTriangle(Vector3d::Zero(), b - a, c - a);
  polyhedron_ = &triangle_;
  size_ = std::max((b - a).norm(), (c - a).norm());
}

Vector3d PlacedConvex::centre() const {
  if (polyhedron_ == nullptr || (shape_ != nullptr && std::holds_alternative<Box>(*shape_))) return pose_.p;
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& v : polyhedron_->vertices()) sum += v;
  return pose_ * Vector3d(sum / static_cast<double>(polyhedron_->vertices().size()));
}

Vector3d PlacedConvex::support(const Vector3d& n) const {
  const Vector3d d = pose_.R.transpose() * n;
  return pose_ * (polyhedron_ != nullptr ? polyhedron_->vertices()[polyhedron_->supportVertex(d)]
                                         : calcSupport(*shape_, d));
}

double PlacedConvex::reach(const Vector3d& n) const {
  const Vector3d d = pose_.R.transpose() * n;
  const Vector3d x = polyhedron_ != nullptr ? polyhedron_->vertices()[polyhedron_->supportVertex(d)]
                                            : calcSupport(*shape_, d);
  return n.dot(pose_.p) + d.dot(x);
}

void PlacedConvex::findPieces(const Vector3d& n, const Vector3d& near, double miss,
                              std::vector<Piece>& pieces) const {
  const Vector3d d = pose_.R.transpose() * n;
  if (polyhedron_ != nullptr) return findOfPolyhedron(d, near, miss, pieces);
  if (const Cylinder* s = std::get_if<Cylinder>(shape_)) return findOfCylinder(*s, d, near, miss, pieces);
  if (const Cone* s = std::get_if<Cone>(shape_)) return findOfCone(*s, d, near, miss, pieces);
  if (const Capsule* s = std::get_if<Capsule>(shape_)) return findOfCapsule(*s, d, near, miss, pieces);
  if (const Sphere* s = std::get_if<Sphere>(shape_)) {
    pieces.push_back(makePoint(pose_.p, s->radius, 0));
    return;
  }
  const Vector3d& radii = std::get<Ellipsoid>(*shape_).radii;
  Piece piece;
  piece.kind = Piece::Kind::ellipsoid;
  piece.origin = pose_.p;
  piece.axes = pose_.R * radii.asDiagonal();
  piece.y = radii.cwiseProduct(d).normalized();
  pieces.push_back(piece);
}

// Faces, edges and the vertex itself at the vertex that is furthest along d.
void PlacedConvex::findOfPolyhedron(const Vector3d& d, const Vector3d& near, double miss,
                                    std::vector<Piece>& pieces) const {
  const auto& vertices = polyhedron_->vertices();
  const int furthest = polyhedron_->supportVertex(d);
  const auto addFaces = [&](double least, double most) {
    for (int f = 0; f < static_cast<int>(polyhedron_->faces().size()); ++f) {
      const Polyhedron::Face& face = polyhedron_->faces()[f];
      const double off = (face.normal - d).norm();
      if (!(off >= least && off < most)) continue;
      const std::span<const int> loop = polyhedron_->loop(f);
      if (std::ranges::find(loop, furthest) == loop.end()) continue;
      const Vector3d o = face.offset * face.normal;
      pieces.push_back(makePlane(pose_ * o, pose_.R * face.normal, near, f));
    }
  };
  const auto addEdges = [&](double least, double most) {
    for (int e = 0; e < static_cast<int>(polyhedron_->edges().size()); ++e) {
      const Polyhedron::Edge& edge = polyhedron_->edges()[e];
      if (edge.a != furthest && edge.b != furthest) continue;
      const double off = std::abs((vertices[edge.b] - vertices[edge.a]).normalized().dot(d));
      if (!(off >= least && off < most)) continue;
      pieces.push_back(makeLine(pose_ * vertices[edge.a], pose_ * vertices[edge.b], 0.0, near, e));
    }
  };
  addFaces(0.0, kLikely);
  addEdges(0.0, kLikely);
  pieces.push_back(makePoint(pose_ * vertices[furthest], 0.0, furthest));
  addEdges(kLikely, miss);
  addFaces(kLikely, miss);
}

Piece PlacedConvex::makeRim(double z, double radius, const Vector3d& d, const Vector3d& near) const {
  Piece piece;
  piece.kind = Piece::Kind::circle;
  piece.origin = pose_ * Vector3d(0.0, 0.0, z);
  piece.axes = radius * pose_.R;
  piece.id = z > 0.0;
  // Where the direction says nothing the point does.
  const bool tells = std::hypot(d.x(), d.y()) > 1e-5;
  const Vector3d toward = tells ? d : Vector3d(pose_.R.transpose() * (near - pose_.p));
  piece.t = std::atan2(toward.y(), toward.x());
  return piece;
}

Piece PlacedConvex::makeBase(double z, double sign, const Vector3d& near) const {
  return makePlane(pose_ * Vector3d(0.0, 0.0, z), sign * pose_.R.col(2), near, sign > 0.0);
}

void PlacedConvex::findOfCylinder(const Cylinder& shape, const Vector3d& d, const Vector3d& near,
                                  double miss, std::vector<Piece>& pieces) const {
  const double sign = d.z() < 0.0 ? -1.0 : 1.0;
  const double across = std::hypot(d.x(), d.y());
  const Vector3d end(0.0, 0.0, shape.half_length);
  const auto addBase = [&] { pieces.push_back(makeBase(sign * shape.half_length, sign, near)); };
  const auto addSide = [&] {
    pieces.push_back(makeLine(pose_ * Vector3d(-end), pose_ * end, shape.radius, near, 0));
  };
  if (across < kLikely) addBase();
  if (std::abs(d.z()) < kLikely) addSide();
  pieces.push_back(makeRim(sign * shape.half_length, shape.radius, d, near));
  if (std::abs(d.z()) < kLikely) pieces.push_back(makeRim(-sign * shape.half_length, shape.radius, d, near));
  if (std::abs(d.z()) >= kLikely && std::abs(d.z()) < miss) addSide();
  if (across >= kLikely && across < miss) addBase();
}

void PlacedConvex::findOfCone(const Cone& shape, const Vector3d& d, const Vector3d& near, double miss,
                              std::vector<Piece>& pieces) const {
  const Vector3d apex(0.0, 0.0, shape.half_length);
  const double across = std::hypot(d.x(), d.y());
  // Normals of the side rise by this angle.
  const double slant = std::hypot(2.0 * shape.half_length, shape.radius);
  const double rise = shape.radius / slant;
  const double over = d.z() * (2.0 * shape.half_length / slant) - across * rise;  // > 0: toward the apex
  const auto addSide = [&] {
    Piece piece = makeRim(shape.half_length, shape.radius, d, near);
    piece.kind = Piece::Kind::cone;
    piece.axes.col(2) = -2.0 * shape.half_length * pose_.R.col(2);
    const double down = pose_.R.col(2).dot(piece.origin - near) / (2.0 * shape.half_length);
    piece.s = std::clamp(down, 0.0, 1.0);
    pieces.push_back(piece);
  };
  const auto addBase = [&] { pieces.push_back(makeBase(-shape.half_length, -1.0, near)); };
  const bool down = d.z() < 0.0;
  if (down && across < kLikely) addBase();
  if (std::abs(over) < kLikely) addSide();
  const auto addRim = [&] { pieces.push_back(makeRim(-shape.half_length, shape.radius, d, near)); };
  if (over <= 0.0) addRim();
  if (over > -miss) pieces.push_back(makePoint(pose_ * apex, 0.0, 2));
  if (over > 0.0 && over < miss) addRim();
  if (std::abs(over) >= kLikely && std::abs(over) < miss) addSide();
  if (down && across >= kLikely && across < miss) addBase();
}

void PlacedConvex::findOfCapsule(const Capsule& shape, const Vector3d& d, const Vector3d& near,
                                 double miss, std::vector<Piece>& pieces) const {
  const double sign = d.z() < 0.0 ? -1.0 : 1.0;
  const Vector3d end(0.0, 0.0, shape.half_length);
  const auto addLine = [&] {
    pieces.push_back(makeLine(pose_ * Vector3d(-end), pose_ * end, shape.radius, near, 0));
  };
  if (std::abs(d.z()) < kLikely) addLine();
  pieces.push_back(makePoint(pose_ * Vector3d(sign * end), shape.radius, sign > 0.0));
  if (std::abs(d.z()) < kLikely) {
    pieces.push_back(makePoint(pose_ * Vector3d(-sign * end), shape.radius, sign < 0.0));
  } else if (std::abs(d.z()) < miss) {
    addLine();
  }
}

bool PlacedConvex::isInFace(const Piece& plane, double slack) const {
  const Vector3d x = pose_.R.transpose() * (plane.point() - pose_.p);
  if (polyhedron_ == nullptr) {
    const Cylinder* cylinder = std::get_if<Cylinder>(shape_);
    const double radius = cylinder != nullptr ? cylinder->radius : std::get<Cone>(*shape_).radius;
    return std::hypot(x.x(), x.y()) <= radius + slack;
  }
  const Vector3d& normal = polyhedron_->faces()[plane.id].normal;
  const std::span<const int> loop = polyhedron_->loop(plane.id);
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vector3d& a = polyhedron_->vertices()[loop[k]];
    const Vector3d along = polyhedron_->vertices()[loop[(k + 1) % loop.size()]] - a;
    if (normal.cross(along).dot(x - a) < -slack * along.norm()) return false;
  }
  return true;
}

}  // namespace cornet
