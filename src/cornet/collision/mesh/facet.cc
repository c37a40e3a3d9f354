#include "cornet/collision/mesh/facet.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "cornet/collision/closest.h"

namespace cornet {
namespace {

using EdgeKind = TriangleMesh::EdgeKind;
using On = Touch::On;

constexpr double kPreference = 2e-13;   // of the size: what another direction must beat the normal by

// A direction, with what it was made from.
struct Direction {
  double separation;
  Vector3d normal;
  ContactFeature feature;
};

ContactFeature ofPlaneA(const Vector3d& normal) {
  ContactFeature feature;
  feature.normal_from = ContactFeature::NormalFrom::plane_a;
  feature.from_a = normal;
  return feature;
}

ContactFeature ofPlaneB(const Vector3d& outward) {
  ContactFeature feature;
  feature.normal_from = ContactFeature::NormalFrom::plane_b;
  feature.from_b = outward;
  return feature;
}

ContactFeature ofLines(const Vector3d& along_a, const Vector3d& along_b) {
  ContactFeature feature;
  feature.normal_from = ContactFeature::NormalFrom::lines;
  feature.from_a = along_a;
  feature.from_b = along_b;
  return feature;
}

// Edges of a core with the normals beside them, turned against the core; a segment has all around it.
template <class Visitor>
void visitEdges(const PlacedCore& core, Visitor visit) {
  if (core.isSegment()) {
    visit(0, core.vertices()[0], core.vertices()[1]);
  } else if (core.isPolyhedron()) {
    for (std::size_t e = 0; e < core.polyhedron().edges().size(); ++e) {
      const Polyhedron::Edge& edge = core.polyhedron().edges()[e];
      visit(static_cast<int>(e), core.vertices()[edge.a], core.vertices()[edge.b]);
    }
  }
}

// Whether an edge of the core is furthest against the direction across it and an edge of the mesh
// between the normals `left` and `right`.
bool arcsMeet(const Vector3d& left, const Vector3d& right, const PlacedCore& core, int edge,
              const Vector3d& along_b) {
  if (core.isSegment()) return left.dot(along_b) * right.dot(along_b) < 0.0;
  const Polyhedron::Edge& e = core.polyhedron().edges()[edge];
  const Vector3d c = -core.faceNormal(e.left);
  const Vector3d d = -core.faceNormal(e.right);
  const Vector3d arc_a = right.cross(left);
  const Vector3d arc_b = d.cross(c);
  const double cba = c.dot(arc_a);
  const double dba = d.dot(arc_a);
  const double adc = left.dot(arc_b);
  const double bdc = right.dot(arc_b);
  return cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0;
}

void testFaces(const Facet& facet, const PlacedCore& core, double preference, Direction& best) {
  if (!core.isPolyhedron()) return;
  for (int f = 0; f < static_cast<int>(core.polyhedron().faces().size()); ++f) {
    int nearest = 0;
    double separation = kInfinity;
    for (int k = 0; k < 3; ++k) {
      const double distance = core.faceDistance(f, facet.corner(k));
      if (distance < separation) {
        separation = distance;
        nearest = k;
      }
    }
    if (!(separation > best.separation + preference)) continue;
    const Vector3d outward = core.faceNormal(f);
    if (facet.isOutwardAtCorner(nearest, -outward)) best = {separation, -outward, ofPlaneB(outward)};
  }
}

// Across edge k of a facet and the edges of the core.
void testEdge(const Facet& facet, int k, const PlacedCore& core, double preference, Direction& best) {
  const Vector3d behind = facet.calcNormalBehind(k);
  const Vector3d& pa = facet.corner(k);
  const Vector3d along_a = facet.corner((k + 1) % 3) - pa;
  visitEdges(core, [&](int edge, const Vector3d& b0, const Vector3d& b1) {
    const Vector3d along_b = b1 - b0;
    if (!arcsMeet(facet.normal(), behind, core, edge, along_b)) return;
    const Vector3d cross = along_a.cross(along_b);
    const double length = cross.norm();
    if (length < kParallelSine * along_a.norm() * along_b.norm()) return;
    const Vector3d normal = (cross.dot(facet.normal() + behind) < 0.0 ? -1.0 : 1.0) / length * cross;
    const double separation = normal.dot(b0 - pa);
    if (separation > best.separation + preference) {
      best = {separation, normal, ofLines(along_a, along_b)};
    }
  });
}

// Along the normal of another triangle that has a corner in common, where the surface faces that way.
void testNormal(const Facet& facet, int k, const Facet& other, const PlacedCore& core,
                double preference, Direction& best) {
  const Vector3d& n = other.normal();
  const double separation = n.dot(core.support(-n) - facet.corner(k));
  if (!(separation > best.separation + preference)) return;
  if (facet.isOutwardAtCorner(k, n)) best = {separation, n, ofPlaneA(n)};
}

// Directions of all triangles around, so that no triangle finds the core deeper than its surroundings do.
void testSurroundings(const Facet& facet, const PlacedCore& core, double preference, Direction& best) {
  const TriangleMesh& mesh = facet.mesh();
  for (int k = 0; k < 3; ++k) {
    if (facet.isRidge(k)) testEdge(facet, k, core, preference, best);
    if (mesh.isFlat(mesh.triangles()[3 * facet.triangle() + k])) continue;
    mesh.visitRing(facet.triangle(), k, [&](int t, int j) {
      if (mesh.patch(t) == mesh.patch(facet.triangle())) return true;
      const Facet other(mesh, t, facet.pose());
      testNormal(facet, k, other, core, preference, best);
      for (const int edge : {j, (j + 2) % 3}) {
        if (!other.isRidge(edge)) continue;
        Direction across = best;
        testEdge(other, edge, core, preference, across);
        if (across.separation > best.separation && facet.isOutwardAtCorner(k, across.normal)) {
          best = across;
        }
      }
      return true;
    });
  }
}

// Closest points so far.
struct Nearest {
  Separation separation;
  Touch touch;
  bool outward = false;

  bool isNearer(const Vector3d& pa, const Vector3d& pb) const {
    return (pb - pa).squaredNorm() < separation.distance * separation.distance;
  }
  void take(const Vector3d& pa, const Vector3d& pb, const ContactFeature& feature, const Touch& where) {
    separation.distance = (pb - pa).norm();
    separation.normal = (pb - pa) / separation.distance;
    separation.point_a = pa;
    separation.point_b = pb;
    separation.feature = feature;
    touch = where;
  }
};

// The foot of a point on the triangle's plane, its edges or its corners.
void offerVertex(const Facet& facet, int vertex, const Vector3d& x, Nearest& nearest) {
  const double height = facet.normal().dot(x - facet.corner(0));
  if (facet.covers(x, 0.0)) {
    const Vector3d foot = x - height * facet.normal();
    if (!nearest.isNearer(foot, x)) return;
    ContactFeature feature = ofPlaneA(facet.normal());
    feature.a = {Element::Kind::plane, foot, facet.normal()};
    feature.b.base = x;
    nearest.take(foot, x, feature, {On::face, On::vertex, 0, vertex});
    nearest.separation.normal = facet.normal();
    nearest.separation.distance = height;
    return;
  }
  for (int k = 0; k < 3; ++k) {
    const Vector3d& a = facet.corner(k);
    const Vector3d along = facet.corner((k + 1) % 3) - a;
    const double t = closestOnSegment(x, a, facet.corner((k + 1) % 3));
    const Vector3d foot = a + t * along;
    if (!nearest.isNearer(foot, x)) continue;
    ContactFeature feature;
    feature.a.base = foot;
    feature.b.base = x;
    const bool inside = t > 0.0 && t < 1.0;
    if (inside) feature.a = {Element::Kind::line, foot, along};
    const int corner = t > 0.0 ? (k + 1) % 3 : k;
    nearest.take(foot, x, feature,
                 {inside ? On::edge : On::vertex, On::vertex, inside ? k : corner, vertex});
  }
}

// A corner of the triangle against the core.
void offerCorner(const Facet& facet, int k, const PlacedCore& core, Nearest& nearest) {
  const Vector3d& x = facet.corner(k);
  Element element;
  if (core.isSegment()) {
    const Vector3d along = core.vertices()[1] - core.vertices()[0];
    const double t = closestOnSegment(x, core.vertices()[0], core.vertices()[1]);
    if (!(t > 0.0 && t < 1.0)) return;  // its ends are offered as vertices
    element = {Element::Kind::line, core.vertices()[0] + t * along, along};
  } else {
    element = core.closestElement(x);
  }
  if (element.kind == Element::Kind::point || !nearest.isNearer(x, element.base)) return;
  ContactFeature feature;
  if (element.kind == Element::Kind::plane) feature = ofPlaneB(element.along);
  feature.a.base = x;
  feature.b = element;
  const bool on_face = element.kind == Element::Kind::plane;
  nearest.take(x, element.base, feature, {On::vertex, on_face ? On::face : On::edge, k, 0});
  if (on_face) nearest.separation.normal = -element.along;
  if (core.isPolyhedron()) nearest.touch.place_b = core.supportFace(-nearest.separation.normal);
}

void offerEdges(const Facet& facet, int k, const PlacedCore& core, Nearest& nearest) {
  const Vector3d& a0 = facet.corner(k);
  const Vector3d& a1 = facet.corner((k + 1) % 3);
  visitEdges(core, [&](int edge, const Vector3d& b0, const Vector3d& b1) {
    const SegmentPair pair = closestOnSegments(a0, a1, b0, b1);
    if (!(pair.s > 0.0 && pair.s < 1.0 && pair.t > 0.0 && pair.t < 1.0)) return;
    const Vector3d pa = a0 + pair.s * (a1 - a0);
    const Vector3d pb = b0 + pair.t * (b1 - b0);
    if (!nearest.isNearer(pa, pb)) return;
    ContactFeature feature = ofLines(a1 - a0, b1 - b0);
    feature.a = {Element::Kind::line, pa, a1 - a0};
    feature.b = {Element::Kind::line, pb, b1 - b0};
    nearest.take(pa, pb, feature, {On::edge, On::edge, k, edge});
    // Across both edges, however small the distance.
    const Vector3d cross = (a1 - a0).cross(b1 - b0);
    if (cross.norm() < 1e-3 * (a1 - a0).norm() * (b1 - b0).norm()) return;
    const double sign = cross.dot(pb - pa) < 0.0 ? -1.0 : 1.0;
    nearest.separation.normal = sign * cross.normalized();
  });
}

Nearest findNearest(const Facet& facet, const PlacedCore& core) {
  Nearest nearest;
  nearest.separation.distance = kInfinity;
  for (int i = 0; i < static_cast<int>(core.vertices().size()); ++i) {
    offerVertex(facet, i, core.vertices()[i], nearest);
  }
  if (!core.isPoint()) {
    for (int k = 0; k < 3; ++k) {
      offerCorner(facet, k, core, nearest);
      offerEdges(facet, k, core, nearest);
    }
  }
  const Vector3d& d = nearest.separation.normal;
  const int k = nearest.touch.place_a;
  nearest.outward = nearest.touch.on_a == On::face ||
                    (nearest.touch.on_a == On::edge ? facet.isOutwardAtEdge(k, d)
                                                    : facet.isOutwardAtCorner(k, d));
  return nearest;
}

}  // namespace

Facet::Facet(const TriangleMesh& mesh, int triangle, const Pose& X_FA)
    : mesh_(mesh), triangle_(triangle), X_FA_(X_FA), normal_(X_FA.R * mesh.calcNormal(triangle)) {
  for (int k = 0; k < 3; ++k) {
    corners_[k] = X_FA * mesh.corner(triangle, k);
    has_ridge_ |= isRidge(k);
  }
  size_ = std::max((corners_[1] - corners_[0]).norm(), (corners_[2] - corners_[0]).norm());
}

bool Facet::isRidge(int k) const {
  const EdgeKind kind = mesh_.edgeKind(triangle_, k);
  return kind == EdgeKind::convex || kind == EdgeKind::boundary;
}

Vector3d Facet::calcNormalBehind(int k) const {
  const int other = mesh_.neighbour(triangle_, k);
  if (other >= 0) return X_FA_.R * mesh_.calcNormal(other);
  return (corners_[(k + 1) % 3] - corners_[k]).cross(normal_).normalized();
}

bool Facet::covers(const Vector3d& x, double slack) const {
  for (int k = 0; k < 3; ++k) {
    const Vector3d along = corners_[(k + 1) % 3] - corners_[k];
    if (normal_.cross(along).dot(x - corners_[k]) < -slack * along.norm()) return false;
  }
  return true;
}

Touch Facet::findPlace(const Vector3d& x) const {
  constexpr double kOn = 1e-10;  // of the size
  for (int k = 0; k < 3; ++k) {
    if ((x - corners_[k]).norm() <= kOn * size_) return {On::vertex, On::vertex, k, 0};
  }
  for (int k = 0; k < 3; ++k) {
    const Vector3d along = corners_[(k + 1) % 3] - corners_[k];
    if (normal_.cross(along).dot(x - corners_[k]) <= kOn * size_ * along.norm()) {
      return {On::edge, On::vertex, k, 0};
    }
  }
  return {On::face, On::vertex, 0, 0};
}

bool Facet::isOutwardAtEdge(int k, const Vector3d& d) const {
  if (!isRidge(k)) return false;
  const auto leadsAlong = [&](const Vector3d& x) {
    const Vector3d inward = x - corners_[k];
    return inward.dot(d) > TriangleMesh::kOutward * inward.norm();
  };
  if (leadsAlong(corners_[(k + 2) % 3])) return false;
  const int other = mesh_.neighbour(triangle_, k);
  if (other < 0) return d.dot(normal_) >= -TriangleMesh::kOutward;
  for (int j = 0; j < 3; ++j) {
    if (leadsAlong(X_FA_ * mesh_.corner(other, j))) return false;
  }
  return true;
}

bool Facet::isOutwardAtCorner(int k, const Vector3d& d) const {
  if (mesh_.isFlat(mesh_.triangles()[3 * triangle_ + k])) return false;
  return d.dot(normal_) >= -TriangleMesh::kOutward && mesh_.isOutward(triangle_, k, X_FA_.R.transpose() * d);
}

bool separateFacet(const Facet& facet, const PlacedCore& core, double limit, Separation& result,
                   Touch& touch) {
  double low = kInfinity;
  double high = -kInfinity;
  int lowest = 0;
  for (int i = 0; i < static_cast<int>(core.vertices().size()); ++i) {
    const double height = facet.normal().dot(core.vertices()[i] - facet.corner(0));
    high = std::max(high, height);
    if (height < low) {
      low = height;
      lowest = i;
    }
  }
  if (low > limit || high + core.radius() <= 0.0) return false;

  const double size = facet.size() + core.size();
  Direction best{low, facet.normal(), ofPlaneA(facet.normal())};
  if (facet.hasRidge()) {
    testFaces(facet, core, kPreference * size, best);
    testSurroundings(facet, core, kPreference * size, best);
    if (best.separation > limit) return false;
    if (best.separation > kCoincident * size) {
      const Nearest nearest = findNearest(facet, core);
      if (nearest.separation.distance > limit) return false;
      if (nearest.outward) {
        result = nearest.separation;
        touch = nearest.touch;
        return true;
      }
    }
  }
  result = {kInfinity, best.normal, {0, 0, 0}, {0, 0, 0}, best.feature};
  const Vector3d& x = core.vertices()[lowest];
  if (best.separation == low && best.normal == facet.normal() &&
      facet.covers(x, kOverSlack * facet.size())) {
    result.distance = low;
    result.point_a = x - low * facet.normal();
    result.point_b = x;
    result.feature.a = {Element::Kind::plane, result.point_a, facet.normal()};
    result.feature.b.base = x;
    touch = {On::face, On::vertex, 0, lowest};
  }
  return true;
}

}  // namespace cornet
