#include "cornet/collision/polyhedron.h"

#include <algorithm>
#include <atomic>
#include <map>

#include <Eigen/Geometry>

namespace cornet {
namespace {

// Sums of (COL-1).
struct Integrals {
  double volume = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();

  void add(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const double det = a.dot(b.cross(c));
    const Vector3d s = a + b + c;
    volume += det / 6.0;
    first += det / 24.0 * s;
    second += det / 120.0 * (s * s.transpose() + a * a.transpose() + b * b.transpose() +
                             c * c.transpose());
  }
  VolumeProperties finish(const Vector3d& origin) const {
    VolumeProperties result;
    result.volume = volume;
    const Vector3d centre = first / volume;
    result.centre = origin + centre;
    const Matrix3d about = second - volume * centre * centre.transpose();
    result.inertia = about.trace() * Matrix3d::Identity() - about;
    return result;
  }
};

}  // namespace

Polyhedron Polyhedron::makeBox(const Vector3d& half) {
  Polyhedron box;
  for (int k = 0; k < 8; ++k) {
    box.vertices_.emplace_back((k & 1 ? 1.0 : -1.0) * half.x(), (k & 2 ? 1.0 : -1.0) * half.y(),
                               (k & 4 ? 1.0 : -1.0) * half.z());
  }
  const int loops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int f = 0; f < 6; ++f) {
    box.addFace(loops[f]);
    box.faces_.back().normal = (f % 2 ? 1.0 : -1.0) * Vector3d::Unit(f / 2);
    box.faces_.back().offset = half[f / 2];
  }
  box.findEdges();
  box.id_ = makeId();
  return box;
}

std::uint64_t Polyhedron::makeId() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void Polyhedron::setTriangle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  vertices_.assign({a, b, c});
  const Vector3d normal = (b - a).cross(c - a).normalized();
  faces_.assign({{normal, normal.dot(a), 0, 3}, {-normal, -normal.dot(a), 3, 6}});
  edges_.assign({{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}});
  loop_.assign({0, 1, 2, 0, 2, 1});
  id_ = 0;
}

// Normal by Newell's sum over the loop, offset as the mean of its vertices.
void Polyhedron::addFace(std::span<const int> loop) {
  Face face{Vector3d::Zero(), 0.0, static_cast<int>(loop_.size()), 0};
  loop_.insert(loop_.end(), loop.begin(), loop.end());
  face.end = static_cast<int>(loop_.size());
  const Vector3d& origin = vertices_[loop[0]];
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
    face.normal += (vertices_[loop[k]] - origin).cross(vertices_[loop[k + 1]] - origin);
  }
  face.normal.normalize();
  for (const int v : loop) face.offset += face.normal.dot(vertices_[v]);
  face.offset /= static_cast<double>(loop.size());
  faces_.push_back(face);
}

void Polyhedron::findEdges() {
  std::map<std::pair<int, int>, int> open;  // directed edge -> its face
  for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
    const std::span<const int> corners = loop(f);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const int a = corners[k];
      const int b = corners[(k + 1) % corners.size()];
      if (const auto twin = open.find({b, a}); twin != open.end()) {
        edges_.push_back({b, a, twin->second, f});
        open.erase(twin);
      } else {
        open[{a, b}] = f;
      }
    }
  }
}

int Polyhedron::supportVertex(const Vector3d& d) const {
  int best = 0;
  double furthest = vertices_[0].dot(d);
  for (int k = 1; k < static_cast<int>(vertices_.size()); ++k) {
    if (const double along = vertices_[k].dot(d); along > furthest) {
      furthest = along;
      best = k;
    }
  }
  return best;
}

int Polyhedron::supportFace(const Vector3d& d) const {
  int best = 0;
  double most = faces_[0].normal.dot(d);
  for (int k = 1; k < static_cast<int>(faces_.size()); ++k) {
    if (const double along = faces_[k].normal.dot(d); along > most) {
      most = along;
      best = k;
    }
  }
  return best;
}

VolumeProperties Polyhedron::calcVolumeProperties() const {
  Integrals sums;
  const Vector3d origin = vertices_[0];
  for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
    const std::span<const int> corners = loop(f);
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      sums.add(vertices_[corners[0]] - origin, vertices_[corners[k]] - origin,
               vertices_[corners[k + 1]] - origin);
    }
  }
  return sums.finish(origin);
}

VolumeProperties calcVolumeProperties(std::span<const Vector3d> vertices,
                                      std::span<const int> triangles) {
  Integrals sums;
  const Vector3d origin = vertices.empty() ? Vector3d::Zero() : vertices[0];
  for (std::size_t k = 0; k + 2 < triangles.size(); k += 3) {
    sums.add(vertices[triangles[k]] - origin, vertices[triangles[k + 1]] - origin,
             vertices[triangles[k + 2]] - origin);
  }
  return sums.finish(origin);
}

}  // namespace cornet
