#include "cornet/collision/manifold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Geometry>

#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

constexpr double kSameCorner = 1e-7;    // of the size: corners this close are one, this far out still in
constexpr double kDeeperCorner = 1e-9;  // of the size: corners that miss the deepest place by more say so
constexpr double kSteepSide = 0.1;      // cosine: a face steeper than this has no height along n
constexpr int kMaxCorners = ContactSide::kMaxCorners;
constexpr int kNone = ContactSide::kNone;

// What a contact is made of; vertices and edges by their place in the core.
struct Name {
  int vertex_a, vertex_b;
  int edge_a, edge_b;  // first vertex of the edge in its face
  std::uint64_t key(int face_a, int face_b) const {
    // Near a vertex edges and faces do not matter.
    std::uint64_t kind = 0, first = 0, second = 0;
    if (vertex_a != kNone && vertex_b != kNone) {
      kind = 1, first = vertex_a, second = vertex_b;
    } else if (vertex_a != kNone) {
      kind = 2, first = vertex_a, second = face_b;
    } else if (vertex_b != kNone) {
      kind = 3, first = face_a, second = vertex_b;
    } else {
      kind = 4, first = edge_a, second = edge_b;
    }
    return kind << 48 | first << 24 | second;
  }
};

constexpr Name kNameless = {kNone, kNone, kNone, kNone};

struct Candidate {
  Vector3d point_a, point_b;
  Vector2d flat;
  double gap;
  Name name;
  int corner_a, corner_b;  // corners of the features; of an edge the first
  bool crossing;           // two edges; otherwise one corner is kNone
};

// The side of a feature that a corner of the other stands over.
Element surfaceOf(const ContactSide& feature) {
  if (feature.has_plane) return {Element::Kind::plane, feature.corner[0], feature.normal};
  return {Element::Kind::line, feature.corner[0], feature.corner[1] - feature.corner[0]};
}

double cross2(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

// Edges of a side and which way round it runs, both seen along n.
void measureEdges(ContactSide& side) {
  double area = 0.0;
  for (int k = 1; k + 1 < side.count; ++k) {
    area += cross2(side.flat[k] - side.flat[0], side.flat[k + 1] - side.flat[0]);
  }
  side.turn = area < 0.0 ? -1.0 : 1.0;
  for (int k = 0; k < side.count; ++k) {
    side.along[k] = side.flat[k + 1 == side.count ? 0 : k + 1] - side.flat[k];
    side.length[k] = side.along[k].norm();
  }
}

// Whether a point of the plane is over a feature, or within `slack` of it.
bool covers(const ContactSide& feature, const Vector2d& x, double slack) {
  if (feature.count == 1) return (x - feature.flat[0]).norm() <= slack;
  if (feature.count == 2) {
    const Vector2d d = feature.flat[1] - feature.flat[0];
    const double t = std::clamp((x - feature.flat[0]).dot(d) / d.squaredNorm(), 0.0, 1.0);
    return (feature.flat[0] + t * d - x).norm() <= slack;
  }
  for (int k = 0; k < feature.count; ++k) {
    const double inside = feature.turn * cross2(feature.along[k], x - feature.flat[k]);
    if (inside < -slack * feature.length[k]) return false;
  }
  return true;
}

// How far along n the feature is from x: over its plane, or its segment.
bool projectOnto(const ContactSide& feature, const Vector3d& n, const Vector3d& x, double& along) {
  if (feature.has_plane) {
    along = feature.normal.dot(feature.corner[0] - x) / feature.normal.dot(n);
    return true;
  }
  if (feature.count != 2) return false;
  const Vector3d d = feature.corner[1] - feature.corner[0];
  const double t = std::clamp((x - feature.corner[0]).dot(d) / d.squaredNorm(), 0.0, 1.0);
  along = n.dot(feature.corner[0] + t * d - x);
  return true;
}

class Overlap {
 public:
  Overlap(ContactSide& a, ContactSide& b, const Vector3d& n)
      : n_(n), size_(std::min(a.size, b.size)), a_(a), b_(b) {
    const Matrix3d axes = makeContactAxes(n);
    const Eigen::Matrix<double, 2, 3> plane = axes.rightCols<2>().transpose();
    const Vector3d origin = b.corner[0];
    for (ContactSide* side : {&a, &b}) {
      for (int k = 0; k < side->count; ++k) side->flat[k] = plane * (side->corner[k] - origin);
      measureEdges(*side);
    }
  }

  void collect() {
    for (int k = 0; k < b_.count; ++k) addCornerOfB(k);
    for (int k = 0; k < a_.count; ++k) addCornerOfA(k);
    const int edges_a = a_.count == 2 ? 1 : a_.count;
    const int edges_b = b_.count == 2 ? 1 : b_.count;
    if (a_.count < 2 || b_.count < 2) return;
    for (int i = 0; i < edges_a; ++i) {
      for (int j = 0; j < edges_b; ++j) addCrossing(i, j);
    }
  }

  static constexpr int kMaxCandidates = 2 * kMaxCorners;

  int count() const { return count_; }
  // Contacts are large: they are put in order before they are made.
  void orderByKey(std::array<int, kMaxCandidates>& order) const {
    std::array<std::uint64_t, kMaxCandidates> keys;
    for (int k = 0; k < count_; ++k) {
      keys[k] = key(k);
      order[k] = k;
    }
    std::sort(order.begin(), order.begin() + count_, [&keys](int i, int j) { return keys[i] < keys[j]; });
  }
  const Candidate& candidate(int k) const { return candidates_[k]; }
  // What a candidate's point on a feature belongs to.
  Element elementA(int k) const {
    const Candidate& c = candidates_[k];
    return elementOf(a_, c.corner_a, c.crossing, c.point_a);
  }
  Element elementB(int k) const {
    const Candidate& c = candidates_[k];
    return elementOf(b_, c.corner_b, c.crossing, c.point_b);
  }
  std::uint64_t key(int k) const {
    return candidates_[k].name.key(a_.face & kNone, b_.face & kNone);
  }

 private:
  static Element elementOf(const ContactSide& feature, int corner, bool crossing, const Vector3d& point) {
    if (corner == kNone) return surfaceOf(feature);
    if (!crossing) return {Element::Kind::point, point, Vector3d::Zero()};
    const int next = (corner + 1) % feature.count;
    return {Element::Kind::line, point, feature.corner[next] - feature.corner[corner]};
  }
  void addCornerOfB(int k) {
    double along = 0.0;
    if (!covers(a_, b_.flat[k], kSameCorner * size_) || !projectOnto(a_, n_, b_.corner[k], along)) return;
    Candidate c{b_.corner[k] + along * n_, b_.corner[k], b_.flat[k], -along, kNameless, kNone, k, false};
    c.name.vertex_b = b_.index[k];
    add(c);
  }
  void addCornerOfA(int k) {
    double along = 0.0;
    if (!covers(b_, a_.flat[k], kSameCorner * size_) || !projectOnto(b_, n_, a_.corner[k], along)) return;
    Candidate c{a_.corner[k], a_.corner[k] + along * n_, a_.flat[k], along, kNameless, k, kNone, false};
    c.name.vertex_a = a_.index[k];
    add(c);
  }
  void addCrossing(int i, int j) {
    const Vector2d& u = a_.along[i];
    const Vector2d& v = b_.along[j];
    const Vector2d w = b_.flat[j] - a_.flat[i];
    const double det = cross2(u, v);
    // Edges that are parallel to that cross nowhere that a corner does not say better.
    if (std::abs(det) <= kSameCorner * a_.length[i] * b_.length[j]) return;
    const double s = cross2(w, v) / det;
    const double t = cross2(w, u) / det;
    if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)) return;
    const int i1 = (i + 1) % a_.count;
    const int j1 = (j + 1) % b_.count;
    const Vector3d pa = a_.corner[i] + s * (a_.corner[i1] - a_.corner[i]);
    const Vector3d pb = b_.corner[j] + t * (b_.corner[j1] - b_.corner[j]);
    Candidate c{pa, pb, a_.flat[i] + s * u, n_.dot(pb - pa), kNameless, i, j, true};
    c.name.edge_a = a_.index[i];
    c.name.edge_b = b_.index[j];
    add(c);
  }

  // Near a corner of either feature the contact is named after it; near another contact it is that.
  void add(Candidate& c) {
    const double same = kSameCorner * size_;
    if (c.name.vertex_a == kNone) c.name.vertex_a = nearCorner(a_, c.flat, same);
    if (c.name.vertex_b == kNone) c.name.vertex_b = nearCorner(b_, c.flat, same);
    for (int k = 0; k < count_; ++k) {
      Candidate& other = candidates_[k];
      if ((other.flat - c.flat).squaredNorm() > same * same) continue;
      const Name name{other.name.vertex_a != kNone ? other.name.vertex_a : c.name.vertex_a,
                      other.name.vertex_b != kNone ? other.name.vertex_b : c.name.vertex_b,
                      other.name.edge_a, other.name.edge_b};
      if (c.gap < other.gap) other = c;
      other.name = name;
      return;
    }
    if (count_ < kMaxCandidates) candidates_[count_++] = c;
  }
  static int nearCorner(const ContactSide& feature, const Vector2d& x, double same) {
    for (int k = 0; k < feature.count; ++k) {
      if ((feature.flat[k] - x).squaredNorm() <= same * same) return feature.index[k];
    }
    return kNone;
  }

  Vector3d n_;
  double size_;
  const ContactSide& a_;
  const ContactSide& b_;
  Candidate candidates_[kMaxCandidates];
  int count_ = 0;
};

// Two segments side by side: the ends that lie beside the other one, each with its own distance and
// direction, so that a line contact has two points and turns into one continuously.
void addSegments(const PlacedCore& a, const PlacedCore& b, const Separation& separation, double margin,
                 Manifold& manifold) {
  constexpr double kSideBySide = 0.05;  // sine
  const std::size_t first = manifold.size();
  const Vector3d da = a.vertices()[1] - a.vertices()[0];
  const Vector3d db = b.vertices()[1] - b.vertices()[0];
  if (da.cross(db).norm() > kSideBySide * da.norm() * db.norm()) return;
  const auto offer = [&](const Element& ea, const Element& eb, std::uint64_t key) {
    const Vector3d& pa = ea.base;
    const Vector3d& pb = eb.base;
    const double distance = (pb - pa).norm();
    const double gap = distance - a.radius() - b.radius();
    if (!(distance > 0.0) || gap > margin) return;
    const Vector3d n = (pb - pa) / distance;
    if (n.dot(separation.normal) < 0.9) return;
    ManifoldPoint point{pa + a.radius() * n, pb - b.radius() * n, n, gap, key, {}};
    point.feature.a = ea;
    point.feature.b = eb;
    point.feature.radius_a = a.radius();
    point.feature.radius_b = b.radius();
    for (std::size_t k = first; k < manifold.size(); ++k) {
      if ((manifold[k].point_b - point.point_b).norm() <= kSameCorner * b.size()) return;
    }
    manifold.push_back(point);
  };
  for (int k = 0; k < 2; ++k) {
    const Vector3d& pb = b.vertices()[k];
    const double s = (pb - a.vertices()[0]).dot(da) / da.squaredNorm();
    if (s >= 0.0 && s <= 1.0) {
      offer({Element::Kind::line, a.vertices()[0] + s * da, da}, {Element::Kind::point, pb, {0, 0, 0}},
            11ULL << 48 | static_cast<unsigned>(k));
    }
    const Vector3d& pa = a.vertices()[k];
    const double t = (pa - b.vertices()[0]).dot(db) / db.squaredNorm();
    if (t >= 0.0 && t <= 1.0) {
      offer({Element::Kind::point, pa, {0, 0, 0}}, {Element::Kind::line, b.vertices()[0] + t * db, db},
            12ULL << 48 | static_cast<unsigned>(k));
    }
  }
}

// A contact of two sides, given for what they are rounded from, if it is within the margin.
void addPoint(const ContactSide& a, const ContactSide& b, const Separation& separation, double margin,
              const ManifoldPoint& core_point, Manifold& manifold) {
  const Vector3d& n = separation.normal;
  const double gap = core_point.gap - a.radius - b.radius;
  if (gap > margin) return;
  ManifoldPoint point = core_point;
  point.point_a += a.radius * n;
  point.point_b -= b.radius * n;
  point.normal = n;
  point.gap = gap;
  point.feature.radius_a = a.radius;
  point.feature.radius_b = b.radius;
  manifold.push_back(point);
}

// Where sides do not overlap, or their corners miss the deepest place, that is a contact too.
void addDeepest(const ContactSide& a, const ContactSide& b, const Separation& separation,
                double margin, std::size_t first, Manifold& manifold) {
  double deepest = std::numeric_limits<double>::infinity();
  for (std::size_t k = first; k < manifold.size(); ++k) deepest = std::min(deepest, manifold[k].gap);
  const double gap = separation.distance - a.radius - b.radius;
  if (!(deepest > gap + kDeeperCorner * std::min(a.size, b.size))) return;
  addPoint(a, b, separation, margin,
           {separation.point_a, separation.point_b, separation.normal, separation.distance, kDeepestKey,
            separation.feature},
           manifold);
}

// Keeps the deepest, then again and again the one furthest from those kept; of equals the first by key.
void reduce(std::size_t first, std::size_t wanted, double equal, Manifold& manifold) {
  const auto begin = manifold.begin() + static_cast<std::ptrdiff_t>(first);
  std::ranges::sort(begin, manifold.end(), {}, &ManifoldPoint::key);
  double least = begin->gap;
  for (auto it = begin; it != manifold.end(); ++it) least = std::min(least, it->gap);
  std::iter_swap(begin, std::ranges::find_if(begin, manifold.end(), [&](const ManifoldPoint& point) {
                   return point.gap <= least + equal;
                 }));
  for (std::size_t kept = 1; kept < wanted; ++kept) {
    std::size_t chosen = first + kept;
    double furthest = -1.0;
    for (std::size_t k = first + kept; k < manifold.size(); ++k) {
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t i = first; i < first + kept; ++i) {
        nearest = std::min(nearest, (manifold[k].point_b - manifold[i].point_b).norm());
      }
      if (nearest > furthest + equal) {
        furthest = nearest;
        chosen = k;
      }
    }
    std::swap(manifold[first + kept], manifold[chosen]);
  }
  manifold.resize(first + wanted);
}

}  // namespace

void ContactSide::setPlane(const Vector3d& outward, const Vector3d& toward) {
  normal = outward;
  has_plane = outward.dot(toward) > kSteepSide;
}

void takeSide(const PlacedCore& core, const Vector3d& toward, ContactSide& side) {
  side.face = kNone;
  side.count = 0;
  side.has_plane = false;
  side.radius = core.radius();
  side.size = core.size();
  if (!core.isPolyhedron()) {
    for (int k = 0; k < static_cast<int>(core.vertices().size()); ++k) side.add(k, core.vertices()[k]);
    return;
  }
  side.face = core.supportFace(toward);
  side.setPlane(core.faceNormal(side.face), toward);
  for (const int v : core.polyhedron().loop(side.face)) side.add(v, core.vertices()[v]);
}

void finishManifold(std::size_t first, double equal, const ManifoldOptions& options, Manifold& manifold) {
  const auto limit = static_cast<std::size_t>(std::max(4, options.max_points));
  if (manifold.size() - first > limit) reduce(first, limit, equal, manifold);
  std::ranges::sort(manifold.begin() + static_cast<std::ptrdiff_t>(first), manifold.end(), {},
                    &ManifoldPoint::key);
}

void addOverlap(ContactSide& a, ContactSide& b, const Separation& separation,
                const ManifoldOptions& options, Manifold& manifold) {
  const std::size_t first = manifold.size();
  if (a.count > 1 && b.count > 1) {
    Overlap overlap(a, b, separation.normal);
    overlap.collect();
    std::array<int, Overlap::kMaxCandidates> order;
    overlap.orderByKey(order);
    for (int i = 0; i < overlap.count(); ++i) {
      const int k = order[i];
      const Candidate& c = overlap.candidate(k);
      ManifoldPoint point{c.point_a, c.point_b,          separation.normal,
                          c.gap,     overlap.key(k),     separation.feature};
      point.feature.a = overlap.elementA(k);
      point.feature.b = overlap.elementB(k);
      // A normal between two other points is not known to this contact.
      if (point.feature.normal_from == ContactFeature::NormalFrom::points) {
        point.feature.normal_from = ContactFeature::NormalFrom::support;
      }
      addPoint(a, b, separation, options.margin, point, manifold);
    }
  }
  addDeepest(a, b, separation, options.margin, first, manifold);
}

void addManifold(const PlacedCore& a, const PlacedCore& b, const Separation& separation,
                 const ManifoldOptions& options, Manifold& manifold) {
  const std::size_t first = manifold.size();
  ContactSide side_a, side_b;
  takeSide(a, separation.normal, side_a);
  takeSide(b, -separation.normal, side_b);
  if (a.isSegment() && b.isSegment()) {
    addSegments(a, b, separation, options.margin, manifold);
    addDeepest(side_a, side_b, separation, options.margin, first, manifold);
  } else {
    addOverlap(side_a, side_b, separation, options, manifold);
  }
  finishManifold(first, kDeeperCorner * std::min(a.size(), b.size()), options, manifold);
}

}  // namespace cornet
