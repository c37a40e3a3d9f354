#include "cornet/collision/core.h"

#include <cmath>
#include <limits>

#include "cornet/collision/closest.h"

namespace cornet {

bool PlacedCore::place(const Shape& shape, const Pose& X_FS) {
  polyhedron_ = nullptr;
  half_ = nullptr;
  pose_ = X_FS;
  radius_ = 0.0;
  vertices_.clear();
  if (const Sphere* sphere = std::get_if<Sphere>(&shape)) {
    vertices_.push_back(X_FS.p);
    radius_ = size_ = sphere->radius;
    return true;
  }
  if (const Capsule* capsule = std::get_if<Capsule>(&shape)) {
    const Vector3d axis = capsule->half_length * X_FS.R.col(2);
    vertices_.push_back(X_FS.p - axis);
    vertices_.push_back(X_FS.p + axis);
    radius_ = capsule->radius;
    size_ = capsule->radius + capsule->half_length;
    return true;
  }
  if (const Box* box = std::get_if<Box>(&shape)) {
    polyhedron_ = &box->polyhedron();
    half_ = &box->half();
    size_ = box->half().norm();
  } else if (const ConvexHull* hull = std::get_if<ConvexHull>(&shape)) {
    polyhedron_ = &hull->polyhedron();
    size_ = 0.0;
    for (const Vector3d& v : polyhedron_->vertices()) size_ = std::max(size_, v.norm());
  } else {
    return false;
  }
  for (const Vector3d& v : polyhedron_->vertices()) vertices_.push_back(X_FS * v);
  return true;
}

double PlacedCore::faceDistance(int f, const Vector3d& x) const {
  const Polyhedron::Face& face = polyhedron_->faces()[f];
  return face.normal.dot(pose_.R.transpose() * (x - pose_.p)) - face.offset;
}

const Vector3d& PlacedCore::support(const Vector3d& d) const {
  const Vector3d* best = &vertices_[0];
  double furthest = best->dot(d);
  for (const Vector3d& v : vertices_) {
    if (const double along = v.dot(d); along > furthest) {
      furthest = along;
      best = &v;
    }
  }
  return *best;
}

// A box clamps; otherwise the closest point of any face the point is outside of.
Vector3d PlacedCore::closestPoint(const Vector3d& x) const {
  const Vector3d local = pose_.R.transpose() * (x - pose_.p);
  if (half_ != nullptr) return pose_ * local.cwiseMax(-*half_).cwiseMin(*half_).eval();
  double least = std::numeric_limits<double>::infinity();
  Vector3d best = local;
  const std::vector<Vector3d>& corners = polyhedron_->vertices();
  for (int f = 0; f < static_cast<int>(polyhedron_->faces().size()); ++f) {
    const Polyhedron::Face& face = polyhedron_->faces()[f];
    const double height = face.normal.dot(local) - face.offset;
    if (height <= 0.0) continue;
    const std::span<const int> loop = polyhedron_->loop(f);
    Vector3d candidate = local - height * face.normal;
    double distance = height * height;
    // Outside the loop the closest point is on one of its edges.
    bool inside = true;
    double least_edge = std::numeric_limits<double>::infinity();
    Vector3d on_edge = candidate;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Vector3d& a = corners[loop[k]];
      const Vector3d& b = corners[loop[(k + 1) % loop.size()]];
      if (face.normal.cross(b - a).dot(candidate - a) >= 0.0) continue;
      inside = false;
      const Vector3d point = a + closestOnSegment(local, a, b) * (b - a);
      if (const double d = (point - local).squaredNorm(); d < least_edge) {
        least_edge = d;
        on_edge = point;
      }
    }
    if (!inside) {
      candidate = on_edge;
      distance = least_edge;
    }
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return pose_ * best;
}

}  // namespace cornet
