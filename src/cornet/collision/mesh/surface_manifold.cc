#include "cornet/collision/mesh/surface_manifold.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "cornet/base/hash.h"
#include "cornet/collision/curved/curved_pair.h"
#include "cornet/collision/half_space.h"
#include "cornet/collision/mesh/facet.h"
#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

using EdgeKind = TriangleMesh::EdgeKind;
using On = Touch::On;

constexpr double kSameNormal = 1e-6;   // contacts whose normals differ by less are thinned out together
constexpr double kBoxRounding = 1e-9;  // of B: boxes this close may touch
constexpr int kMostContacts = 64;      // of B with the whole surface
constexpr std::uint64_t kDropped = 0;

std::uint64_t makeSurfaceKey(std::uint64_t kind, int a, std::uint64_t b) {
  return Hash().add(kind).add(static_cast<std::uint64_t>(a)).add(b).value();
}

// The name of a contact of (COL-3), from places on the triangle to features of the mesh; kDropped when it
// belongs to a flat edge or corner.
std::uint64_t nameOverlap(const Facet& facet, std::uint64_t key) {
  const TriangleMesh& mesh = facet.mesh();
  const int t = facet.triangle();
  const std::uint64_t kind = key >> 48;
  const auto first = static_cast<int>(key >> 24 & 0xffffff);
  const std::uint64_t second = key & 0xffffff;
  if (kind == 3) return makeSurfaceKey(3, mesh.patch(t), second);
  if (kind == 4) {
    if (mesh.edgeKind(t, first) == EdgeKind::flat) return kDropped;
    return makeSurfaceKey(4, mesh.edgeName(t, first), second);
  }
  const int vertex = mesh.triangles()[3 * t + first];
  if (!mesh.isFlat(vertex)) return makeSurfaceKey(kind, vertex, second);
  return kind == 1 ? makeSurfaceKey(3, mesh.patch(t), second) : kDropped;
}

std::uint64_t nameTouch(const Facet& facet, const Touch& touch) {
  const TriangleMesh& mesh = facet.mesh();
  const int t = facet.triangle();
  const auto b = static_cast<std::uint64_t>(touch.place_b);
  if (touch.on_a == On::face) return makeSurfaceKey(3, mesh.patch(t), b);
  if (touch.on_a == On::edge) {
    return makeSurfaceKey(touch.on_b == On::vertex ? 7 : 4, mesh.edgeName(t, touch.place_a), b);
  }
  const int vertex = mesh.triangles()[3 * t + touch.place_a];
  if (touch.on_b == On::vertex) return makeSurfaceKey(1, vertex, b);
  return makeSurfaceKey(touch.on_b == On::face ? 2 : 6, vertex, b);
}

Bounds boundsOf(const TriangleMesh& mesh, int t) {
  const Vector3d &a = mesh.corner(t, 0), &b = mesh.corner(t, 1), &c = mesh.corner(t, 2);
  return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
}

Bounds boundsOf(const Facet& facet) {
  const Vector3d &a = facet.corner(0), &b = facet.corner(1), &c = facet.corner(2);
  return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
}

// The pose of a half-space.
Pose makePlane(const Vector3d& point, const Vector3d& normal) {
  const Matrix3d axes = makeContactAxes(normal);
  Pose pose;
  pose.R << axes.col(1), axes.col(2), axes.col(0);
  pose.p = point;
  return pose;
}

// Moves groups of equal normals over, each thinned out.
void moveByNormal(double equal, const ManifoldOptions& options, Manifold& from, Manifold& to) {
  while (!from.empty()) {
    const std::size_t first = to.size();
    const Vector3d normal = from.front().normal;
    const auto same = [&normal](const ManifoldPoint& point) {
      return (point.normal - normal).squaredNorm() < kSameNormal * kSameNormal;
    };
    std::ranges::copy_if(from, std::back_inserter(to), same);
    std::erase_if(from, same);
    finishManifold(first, equal, options, to);
  }
}

}  // namespace

void refreshRoundContact(const Shape& shape, const Pose& X_FB, Manifold& scratch, ManifoldPoint& point) {
  const Vector3d was = point.feature.b.base;
  scratch.clear();
  ManifoldOptions options;
  options.margin = std::numeric_limits<double>::infinity();
  const Element& plane = point.feature.a;
  addHalfSpaceManifold(makePlane(plane.base, plane.along), shape, X_FB, options, scratch);
  const auto distance = [&was](const ManifoldPoint& x) { return (x.point_b - was).squaredNorm(); };
  point = *std::ranges::min_element(scratch, {}, distance);
}

// A triangle and a shape without a core, for their closest points.
struct SurfaceManifold::Round {
  PlacedConvex triangle, shape;
  CurvedPair pair;
};

SurfaceManifold::SurfaceManifold() = default;
SurfaceManifold::~SurfaceManifold() = default;
SurfaceManifold::SurfaceManifold(SurfaceManifold&&) noexcept = default;
SurfaceManifold& SurfaceManifold::operator=(SurfaceManifold&&) noexcept = default;

// Ridges near B, by the patches beside them.
void SurfaceManifold::findRidges(const TriangleMesh& surface, const Pose& X_FA) {
  ridges_.clear();
  for (const int t : near_) {
    for (int k = 0; k < 3; ++k) {
      if (surface.edgeKind(t, k) != EdgeKind::convex) continue;
      const int other = surface.neighbour(t, k);
      ridges_.push_back({surface.patch(t), X_FA.R * surface.calcNormal(other), X_FA * surface.corner(t, k)});
    }
  }
  std::ranges::sort(ridges_, {}, &Ridge::patch);
}

// Whether B is less deep behind what lies across a ridge of the facet's patch: contacts are then there.
template <class Lowest>
bool SurfaceManifold::isDeeperThanAcross(const Facet& facet, double separation, Lowest lowest) const {
  const int patch = facet.mesh().patch(facet.triangle());
  for (auto ridge = std::ranges::lower_bound(ridges_, patch, {}, &Ridge::patch);
       ridge != ridges_.end() && ridge->patch == patch; ++ridge) {
    const double across = lowest(ridge->normal) - ridge->normal.dot(ridge->point);
    if (across > separation + kBoxRounding * facet.size()) return true;
  }
  return false;
}

// A triangle that B does not reach, judged by their boxes along the axes of the mesh and of F, cannot be
// penetrated, however far B is behind its plane.
void SurfaceManifold::keep(const ManifoldPoint& point, std::uint64_t key) {
  if (point.gap < 0.0 && !reached_) return;
  kept_.push_back(point);
  kept_.back().key = key;
}

void SurfaceManifold::addCore(const Facet& facet, const ManifoldOptions& options) {
  const double low = facet.normal().dot(core_.support(-facet.normal()) - facet.corner(0)) - core_.radius();
  const auto lowest = [this](const Vector3d& n) { return n.dot(core_.support(-n)) - core_.radius(); };
  if (low < 0.0 && !facet.hasRidge() && isDeeperThanAcross(facet, low, lowest)) return;
  Separation separation;
  Touch touch;
  if (!separateFacet(facet, core_, options.margin + core_.radius(), separation, touch)) return;
  // Directions from point to point belong to the closest pair alone.
  const bool between_points = separation.feature.normal_from == ContactFeature::NormalFrom::points;
  side_a_.count = 0;
  side_a_.face = 0;
  side_a_.size = facet.size();
  side_a_.setPlane(facet.normal(), separation.normal);
  for (int k = 0; k < (between_points ? 1 : 3); ++k) side_a_.add(k, facet.corner(k));
  takeSide(core_, -separation.normal, side_b_);
  scratch_.clear();
  addOverlap(side_a_, side_b_, separation, options, scratch_);
  for (const ManifoldPoint& point : scratch_) {
    const bool deepest = point.key == kDeepestKey;
    const std::uint64_t key = deepest ? nameTouch(facet, touch) : nameOverlap(facet, point.key);
    if (key != kDropped) keep(point, key);
  }
}

// The lowest points of a round shape over the triangle's plane that are over the triangle.
void SurfaceManifold::addRound(const Facet& facet, const Shape& shape, const Pose& X_FB,
                               const ManifoldOptions& options) {
  const Vector3d& n = facet.normal();
  const Vector3d top = X_FB * calcSupport(shape, X_FB.R.transpose() * n);
  if (n.dot(top - facet.corner(0)) <= 0.0) return;
  const auto lowest = [&](const Vector3d& d) {
    return d.dot(X_FB * calcSupport(shape, -(X_FB.R.transpose() * d)));
  };
  const double low = lowest(n) - n.dot(facet.corner(0));
  if (low < 0.0 && isDeeperThanAcross(facet, low, lowest)) return;
  scratch_.clear();
  addHalfSpaceManifold(makePlane(facet.corner(0), n), shape, X_FB, options, scratch_);
  for (ManifoldPoint& point : scratch_) {
    if (!facet.covers(point.point_a, kOverSlack * facet.size())) continue;
    point.feature.a = {Element::Kind::plane, facet.corner(0), n};
    if (point.feature.normal_from == ContactFeature::NormalFrom::support) {
      point.feature.b.base = point.point_b;
    }
    keep(point, makeSurfaceKey(8, facet.mesh().patch(facet.triangle()), point.key));
  }
}

// The closest points, if they are on a ridge or corner and the surface faces that way.
void SurfaceManifold::addRoundRidge(const Facet& facet, const ManifoldOptions& options) {
  round_->triangle.placeTriangle(facet.corner(0), facet.corner(1), facet.corner(2));
  Separation separation;
  if (!round_->pair.separate(round_->triangle, round_->shape, options.margin, separation)) return;
  const Touch touch = facet.findPlace(separation.point_a);
  if (touch.on_a == On::face) return;
  const bool at_edge = touch.on_a == On::edge;
  const Vector3d& n = separation.normal;
  const int k = touch.place_a;
  if (!(at_edge ? facet.isOutwardAtEdge(k, n) : facet.isOutwardAtCorner(k, n))) return;
  ManifoldPoint point{separation.point_a, separation.point_b, n, separation.distance, 0, {}};
  // The direction stays with the mesh, so that it survives points that coincide.
  point.feature.normal_from = ContactFeature::NormalFrom::plane_a;
  point.feature.from_a = n;
  point.feature.a.base = separation.point_a;
  point.feature.b.base = separation.point_b;
  if (at_edge) {
    point.feature.a.kind = Element::Kind::line;
    point.feature.a.along = facet.corner((k + 1) % 3) - facet.corner(k);
  }
  keep(point, nameTouch(facet, touch));
}

void SurfaceManifold::add(const TriangleMesh& surface, const Pose& X_FA, const Shape& shape,
                          const Pose& X_FB, const ManifoldOptions& options, Manifold& manifold) {
  const std::size_t first = manifold.size();
  const bool has_core = core_.place(shape, X_FB);
  const Bounds own = calcBounds(shape, X_FA.relative(X_FB));
  const double rounding = kBoxRounding * (own.upper - own.lower).norm();
  const Bounds bounds = own.inflated(rounding);
  const Bounds bounds_F = calcBounds(shape, X_FB).inflated(rounding);
  surface.tree().findOverlaps(bounds.inflated(options.margin), near_);
  kept_.clear();
  findRidges(surface, X_FA);
  const bool with_ridges = !has_core && CurvedPair::available();
  if (with_ridges) {
    if (round_ == nullptr) round_ = std::make_unique<Round>();
    round_->shape.place(shape, X_FB);
  }
  for (const int triangle : near_) {
    const Facet facet(surface, triangle, X_FA);
    reached_ = bounds.overlaps(boundsOf(surface, triangle)) && bounds_F.overlaps(boundsOf(facet));
    if (has_core) {
      addCore(facet, options);
    } else {
      addRound(facet, shape, X_FB, options);
      if (with_ridges && facet.hasRidge()) addRoundRidge(facet, options);
    }
  }
  // What several triangles report is the deepest of them.
  std::ranges::sort(kept_, {}, [](const ManifoldPoint& point) { return std::pair(point.key, point.gap); });
  kept_.erase(std::ranges::unique(kept_, {}, &ManifoldPoint::key).begin(), kept_.end());
  finishManifold(0, rounding, {options.margin, kMostContacts}, kept_);
  moveByNormal(rounding, options, kept_, manifold);
  std::ranges::sort(manifold.begin() + static_cast<std::ptrdiff_t>(first), manifold.end(), {},
                    &ManifoldPoint::key);
}

}  // namespace cornet
