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

int PlacedCore::furthestFace(const Vector3d& x, double& distance, bool& outside) const {
  const Vector3d local = pose_.R.transpose() * (x - pose_.p);
  distance = -std::numeric_limits<double>::infinity();
  int furthest = 0;
  if (half_ != nullptr) {
    // Faces come in pairs, the negative one first; of equals the first.
    for (int f = 0; f < 6; ++f) {
      const double d = (f % 2 == 0 ? -local[f / 2] : local[f / 2]) - (*half_)[f / 2];
      if (d > distance) distance = d, furthest = f;
    }
  } else {
    const auto& faces = polyhedron_->faces();
    for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
      const double d = faces[f].normal.dot(local) - faces[f].offset;
      if (d > distance) distance = d, furthest = f;
    }
  }
  outside = distance > 0.0;
  return furthest;
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

namespace {

// A box clamps: one coordinate for a face, two for an edge, three for a vertex.
Element closestOnBox(const Vector3d& half, const Vector3d& x) {
  Element element;
  element.base = x.cwiseMax(-half).cwiseMin(half);
  int clamped = 0, free = 0, last = 0;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(x[k]) > half[k]) {
      ++clamped;
      last = k;
    } else {
      free = k;
    }
  }
  if (clamped == 1) {
    element.kind = Element::Kind::plane;
    element.along = (x[last] < 0.0 ? -1.0 : 1.0) * Vector3d::Unit(last);
  } else if (clamped == 2) {
    element.kind = Element::Kind::line;
    element.along = Vector3d::Unit(free);
  }
  return element;
}

// Of one face: over its inside the plane, otherwise an edge or the end of one.
Element closestOnFace(const Polyhedron& polyhedron, int f, const Vector3d& x) {
  const Polyhedron::Face& face = polyhedron.faces()[f];
  const std::span<const int> loop = polyhedron.loop(f);
  Element best{Element::Kind::plane, x - (face.normal.dot(x) - face.offset) * face.normal, face.normal};
  const Vector3d foot = best.base;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vector3d& a = polyhedron.vertices()[loop[k]];
    const Vector3d& b = polyhedron.vertices()[loop[(k + 1) % loop.size()]];
    if (face.normal.cross(b - a).dot(foot - a) >= 0.0) continue;
    const double t = closestOnSegment(x, a, b);
    const Vector3d point = a + t * (b - a);
    if (const double d = (point - x).squaredNorm(); d < least) {
      least = d;
      const bool inside = t > 0.0 && t < 1.0;
      best = {inside ? Element::Kind::line : Element::Kind::point, point,
              inside ? Vector3d(b - a) : Vector3d(Vector3d::Zero())};
    }
  }
  return best;
}

}  // namespace

// The closest one of all faces the point is outside of.
Element PlacedCore::closestElement(const Vector3d& x) const {
  const Vector3d local = pose_.R.transpose() * (x - pose_.p);
  Element best{Element::Kind::point, local, Vector3d::Zero()};
  if (half_ != nullptr) {
    best = closestOnBox(*half_, local);
  } else {
    double least = std::numeric_limits<double>::infinity();
    for (int f = 0; f < static_cast<int>(polyhedron_->faces().size()); ++f) {
      if (polyhedron_->faces()[f].normal.dot(local) <= polyhedron_->faces()[f].offset) continue;
      const Element element = closestOnFace(*polyhedron_, f, local);
      if (const double d = (element.base - local).squaredNorm(); d < least) {
        least = d;
        best = element;
      }
    }
  }
  return {best.kind, pose_ * best.base, pose_.R * best.along};
}

}  // namespace cornet
