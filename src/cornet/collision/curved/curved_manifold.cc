#include "cornet/collision/curved/curved_manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

namespace cornet {
namespace {

constexpr double kSameContact = 1e-7;    // of the size: contacts this close are one, this far out still in
constexpr double kDeeperContact = 1e-9;  // of the size: contacts that miss the deepest place by more say so
constexpr double kSideBySide = 0.05;     // sine between lines
// Names of places on a patch, beside those of its corners.
constexpr int kEdge = 0x10000;
constexpr int kRim = 0x30000;
constexpr int kFlat = 0x50000;
constexpr int kSide = 0x60000;

std::uint64_t makePatchKey(int on_a, int on_b) {
  return 13ULL << 48 | static_cast<std::uint64_t>(on_a) << 24 | static_cast<std::uint64_t>(on_b);
}

// Contacts of two patches along n, or along normals of their own.
class PatchOverlap {
 public:
  PatchOverlap(const Patch& a, const Patch& b, const Vector3d& n, double size, double margin,
          Manifold& manifold)
      : a_(a), b_(b), n_(n), same_(kSameContact * size), margin_(margin), first_(manifold.size()),
        manifold_(manifold) {}

  void collect() {
    if (a_.isFlat()) addCornersOfB();
    if (b_.isFlat()) addCornersOfA();
    for (int i = 0; i < a_.edges(); ++i) {
      for (int j = 0; j < b_.edges(); ++j) addCrossing(i, j);
      if (b_.kind == Patch::Kind::disc) addEdgeOnRim(a_, i, b_, true);
    }
    if (a_.kind == Patch::Kind::disc) {
      for (int j = 0; j < b_.edges(); ++j) addEdgeOnRim(b_, j, a_, false);
      if (b_.kind == Patch::Kind::disc) addRims();
    }
  }

  void add(const Vector3d& pa, const Vector3d& pb, const Vector3d& n, std::uint64_t key,
           const ContactFeature& feature) {
    const double gap = n.dot(pb - pa);
    if (!(gap <= margin_)) return;
    for (std::size_t k = first_; k < manifold_.size(); ++k) {
      if ((manifold_[k].point_b - pb).squaredNorm() <= same_ * same_) return;
    }
    manifold_.push_back({pa, pb, n, gap, key, feature});
  }
  static ContactFeature wandering() {
    ContactFeature feature;
    feature.normal_from = ContactFeature::NormalFrom::support;
    return feature;
  }

 private:
  // A corner over a plane is found again from the two, when the plane's normal is the contact's.
  void addCornersOfB() {
    for (int k = 0; k < b_.count; ++k) {
      Vector3d foot = b_.corner[k];
      if (!a_.cover(n_, same_, foot)) continue;
      ContactFeature feature = wandering();
      if (b_.isFlat() && n_ == a_.normal) {
        feature.normal_from = ContactFeature::NormalFrom::plane_a;
        feature.from_a = a_.normal;
        feature.a = {Element::Kind::plane, a_.centre, a_.normal};
        feature.b.base = b_.corner[k];
      }
      add(foot, b_.corner[k], n_, makePatchKey(kFlat, b_.name[k]), feature);
    }
  }
  void addCornersOfA() {
    for (int k = 0; k < a_.count; ++k) {
      Vector3d foot = a_.corner[k];
      if (!b_.cover(n_, same_, foot)) continue;
      ContactFeature feature = wandering();
      if (a_.isFlat() && n_ == -b_.normal) {
        feature.normal_from = ContactFeature::NormalFrom::plane_b;
        feature.from_b = b_.normal;
        feature.a.base = a_.corner[k];
        feature.b = {Element::Kind::plane, b_.centre, b_.normal};
      }
      add(a_.corner[k], foot, n_, makePatchKey(a_.name[k], kFlat), feature);
    }
  }
  // Two edges that cross when seen along n.
  void addCrossing(int i, int j) {
    const Vector3d& pa = a_.corner[i];
    const Vector3d& pb = b_.corner[j];
    const Vector3d da = a_.corner[(i + 1) % a_.count] - pa;
    const Vector3d db = b_.corner[(j + 1) % b_.count] - pb;
    const double det = da.cross(db).dot(n_);
    if (std::abs(det) <= kSameContact * da.norm() * db.norm()) return;
    const double s = (pb - pa).cross(db).dot(n_) / det;
    const double t = (pb - pa).cross(da).dot(n_) / det;
    if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)) return;
    add(pa + s * da, pb + t * db, n_, makePatchKey(kEdge + a_.name[i], kEdge + b_.name[j]), wandering());
  }
  // Where an edge, moved along n onto the plane of a disc, enters and leaves it.
  void addEdgeOnRim(const Patch& edges, int i, const Patch& disc, bool edge_of_a) {
    const Vector3d& p = edges.corner[i];
    const Vector3d along = edges.corner[(i + 1) % edges.count] - p;
    const auto under = [&](const Vector3d& x) -> Vector3d {
      return x + disc.normal.dot(disc.centre - x) / disc.normal.dot(n_) * n_;
    };
    const Vector3d from = under(p) - disc.centre;
    const Vector3d way = under(p + along) - disc.centre - from;
    const double length2 = way.squaredNorm();
    if (!(length2 > 0.0)) return;
    const double middle = -from.dot(way) / length2;
    const double room = disc.radius * disc.radius - (from + middle * way).squaredNorm();
    if (!(room > 0.0)) return;
    const double half = std::sqrt(room / length2);
    for (int k = 0; k < 2; ++k) {
      const double t = k == 0 ? middle - half : middle + half;
      if (!(t >= 0.0 && t <= 1.0)) continue;
      const Vector3d on_edge = p + t * along;
      const Vector3d on_rim = disc.centre + from + t * way;
      const int edge = kEdge + edges.name[i];
      edge_of_a ? add(on_edge, on_rim, n_, makePatchKey(edge, kRim + k), wandering())
                : add(on_rim, on_edge, n_, makePatchKey(kRim + k, edge), wandering());
    }
  }
  // Two rims that cross when seen along n; each point on its own rim.
  void addRims() {
    const Vector3d apart = b_.centre - a_.centre;
    const Vector3d flat = apart - n_.dot(apart) * n_;
    const double distance = flat.norm();
    if (!(distance > same_)) return;
    const Vector3d u = flat / distance;
    const Vector3d v = n_.cross(u);
    const double x = (distance * distance + a_.radius * a_.radius - b_.radius * b_.radius) / (2.0 * distance);
    const double y2 = a_.radius * a_.radius - x * x;
    if (!(y2 > 0.0)) return;
    for (int k = 0; k < 2; ++k) {
      const Vector3d where = a_.centre + x * u + (k == 0 ? -1.0 : 1.0) * std::sqrt(y2) * v;
      add(onRim(a_, where), onRim(b_, where), n_, makePatchKey(kRim + k, kRim + k), wandering());
    }
  }
  static Vector3d onRim(const Patch& disc, const Vector3d& x) {
    Vector3d out = x - disc.centre;
    out -= disc.normal.dot(out) * disc.normal;
    return disc.centre + disc.radius * out.normalized();
  }

  const Patch& a_;
  const Patch& b_;
  Vector3d n_;
  double same_;
  double margin_;
  std::size_t first_;
  Manifold& manifold_;
};

// Ends of side lines that lie beside the other's side.
void addSides(const PlacedConvex& a, const PlacedConvex& b, const Patch& patch_a, const Patch& patch_b,
              const Vector3d& n, PatchOverlap& overlap) {
  const Vector3d da = patch_a.corner[1] - patch_a.corner[0];
  const Vector3d db = patch_b.corner[1] - patch_b.corner[0];
  if (!(da.cross(db).norm() <= kSideBySide * da.norm() * db.norm())) return;
  // The end of one, the place on the other's side closest to it, and the normal there.
  const auto meet = [&n](const PlacedConvex& one, int k, const PlacedConvex& other, double sign,
                         Vector3d& end, Vector3d& foot, Vector3d& normal) {
    normal = -sign * n;
    for (int pass = 0; pass < 2; ++pass) {
      end = endOfSide(one, k, -normal);
      if (!closestOnSide(other, end, foot, normal)) return false;
      if (-sign * normal.dot(n) < 0.9) return false;
    }
    return true;
  };
  Vector3d end, foot, normal;
  for (int k = 0; k < 2; ++k) {
    if (meet(b, k, a, -1.0, end, foot, normal)) {
      overlap.add(foot, end, normal, makePatchKey(kSide, patch_b.name[k]), PatchOverlap::wandering());
    }
    if (meet(a, k, b, 1.0, end, foot, normal)) {
      overlap.add(end, foot, -normal, makePatchKey(patch_a.name[k], kSide), PatchOverlap::wandering());
    }
  }
}

}  // namespace

void CurvedManifold::add(const PlacedConvex& a, const PlacedConvex& b, const Separation& separation,
                         const ManifoldOptions& options, Manifold& manifold) {
  const Vector3d& n = separation.normal;
  const double size = std::min(a.size(), b.size());
  const std::size_t first = manifold.size();
  a_.take(a, n);
  b_.take(b, -n);
  PatchOverlap overlap(a_, b_, n, size, options.margin, manifold);
  if (a_.kind == Patch::Kind::segment && b_.kind == Patch::Kind::segment) {
    addSides(a, b, a_, b_, n, overlap);
  } else if (a_.kind != Patch::Kind::point && b_.kind != Patch::Kind::point) {
    overlap.collect();
  }
  double deepest = std::numeric_limits<double>::infinity();
  for (std::size_t k = first; k < manifold.size(); ++k) deepest = std::min(deepest, manifold[k].gap);
  if (deepest > separation.distance + kDeeperContact * size && separation.distance <= options.margin) {
    manifold.push_back({separation.point_a, separation.point_b, n, separation.distance, 5ULL << 48,
                        PatchOverlap::wandering()});
  }
  finishManifold(first, kDeeperContact * size, options, manifold);
}

}  // namespace cornet
