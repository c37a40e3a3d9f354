#include "cornet/collision/separation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/collision/closest.h"
#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

// An edge axis must beat the faces by this share of the size: where faces are parallel to rounding
// their normal is the better direction.
constexpr double kFacePreference = 2e-13;
// Two boxes divide by the sine itself: below this square of it rounding would exceed 1e-12 of the size.
constexpr double kBoxParallelSine2 = 1e-8;
// Of the size: an edge axis that promises more than this beyond what supports show comes from an edge so
// short that its direction is rounding.
constexpr double kPromise = 1e-12;

// Direction and distance from closest points; any perpendicular to `hint` when they coincide.
void fromPoints(const Vector3d& a, const Vector3d& b, const Vector3d& hint, Separation& result) {
  result.point_a = a;
  result.point_b = b;
  result.feature = {};
  result.feature.a.base = a;
  result.feature.b.base = b;
  const Vector3d apart = b - a;
  result.distance = apart.norm();
  if (result.distance > 0.0) {
    result.normal = apart / result.distance;
  } else {
    result.normal = hint.norm() > 0.0 ? Vector3d(makeContactAxes(hint.normalized()).col(1))
                                      : Vector3d::UnitZ();
  }
}

// A point against a polyhedron; the normal points from the polyhedron to the point.
void separatePoint(const Vector3d& x, const PlacedCore& polyhedron, Separation& result) {
  double largest = 0.0;
  bool outside = false;
  const int deepest = polyhedron.furthestFace(x, largest, outside);
  result.point_b = x;
  result.feature = {};
  result.feature.b.base = x;
  const Vector3d normal = polyhedron.faceNormal(deepest);
  if (outside) {
    result.feature.a = polyhedron.closestElement(x);
    result.point_a = result.feature.a.base;
    const Vector3d apart = x - result.point_a;
    // Over the inside of a face its normal is exact, however small the distance.
    const double across = (apart - largest * normal).norm();
    if (across > 1e-14 * polyhedron.size()) {
      result.distance = apart.norm();
      result.normal = apart / result.distance;
      return;
    }
  }
  result.distance = largest;
  result.normal = normal;
  result.point_a = x - largest * normal;
  result.feature.a = {Element::Kind::plane, result.point_a, normal};
  result.feature.normal_from = ContactFeature::NormalFrom::plane_a;
  result.feature.from_a = normal;
}

void flip(Separation& result) {
  result.normal = -result.normal;
  std::swap(result.point_a, result.point_b);
  result.feature = result.feature.mirrored();
}

// The best separating direction so far.
struct Axis {
  double separation = -std::numeric_limits<double>::infinity();
  Vector3d normal = Vector3d::UnitZ();  // from A to B
  Vector3d point_a = Vector3d::Zero();
  Vector3d point_b = Vector3d::Zero();
  bool of_edges = false;  // the points are on the bodies; a foot on a face's plane may not be
  ContactFeature feature;

  void setFaceOfA(const Vector3d& outward) {
    feature = {};
    feature.normal_from = ContactFeature::NormalFrom::plane_a;
    feature.from_a = outward;
    feature.a = {Element::Kind::plane, point_a, outward};
    feature.b.base = point_b;
  }
  void setFaceOfB(const Vector3d& outward) {
    feature = {};
    feature.normal_from = ContactFeature::NormalFrom::plane_b;
    feature.from_b = outward;
    feature.a.base = point_a;
    feature.b = {Element::Kind::plane, point_b, outward};
  }
  void setEdges(const Vector3d& along_a, const Vector3d& along_b) {
    feature = {};
    feature.normal_from = ContactFeature::NormalFrom::lines;
    feature.from_a = along_a;
    feature.from_b = along_b;
    feature.a = {Element::Kind::line, point_a, along_a};
    feature.b = {Element::Kind::line, point_b, along_b};
    of_edges = true;
  }
};

// Faces of `a` against the vertices of `b`; sign -1 when a is the second of the pair.
bool testFaces(const PlacedCore& a, const PlacedCore& b, double sign, double limit, Axis& best) {
  const auto count = static_cast<int>(a.polyhedron().faces().size());
  for (int f = 0; f < count; ++f) {
    const Vector3d normal = a.faceNormal(f);
    const Vector3d& x = b.support(-normal);
    const double separation = a.faceDistance(f, x);
    if (separation > limit) return false;
    if (!(separation > best.separation)) continue;
    const Vector3d foot = x - separation * normal;
    best = {separation, sign * normal, sign > 0.0 ? foot : x, sign > 0.0 ? x : foot, false, {}};
    sign > 0.0 ? best.setFaceOfA(normal) : best.setFaceOfB(normal);
  }
  return true;
}

// The edge from pa along da against that from pb along db; `outward` is out of A.
void offerEdgeAxis(const PlacedCore& a, const Vector3d& pa, const Vector3d& da, const PlacedCore& b,
                   const Vector3d& pb, const Vector3d& db, const Vector3d& outward, double size,
                   Axis& best) {
  const Vector3d cross = da.cross(db);
  const double length = cross.norm();
  if (length < kParallelSine * da.norm() * db.norm()) return;
  const Vector3d normal = (cross.dot(outward) < 0.0 ? -1.0 : 1.0) / length * cross;
  const double separation = normal.dot(pb - pa);
  if (!(separation > best.separation + kFacePreference * size)) return;
  if (normal.dot(b.support(-normal) - a.support(normal)) < separation - kPromise * size) return;
  const SegmentPair pair = closestOnSegments(pa, pa + da, pb, pb + db);
  best = {separation, normal, pa + pair.s * da, pb + pair.t * db, true, {}};
  best.setEdges(da, db);
}

// All pairs of edges whose arcs on the Gauss map cross.
void testEdges(const PlacedCore& a, const PlacedCore& b, double size, Axis& best) {
  for (const Polyhedron::Edge& ea : a.polyhedron().edges()) {
    const Vector3d na = a.faceNormal(ea.left);
    const Vector3d nb = a.faceNormal(ea.right);
    const Vector3d& pa = a.vertices()[ea.a];
    const Vector3d da = a.vertices()[ea.b] - pa;
    const Vector3d arc_a = nb.cross(na);
    for (const Polyhedron::Edge& eb : b.polyhedron().edges()) {
      const Vector3d nc = -b.faceNormal(eb.left);
      const Vector3d nd = -b.faceNormal(eb.right);
      const double cba = nc.dot(arc_a);
      const double dba = nd.dot(arc_a);
      if (cba * dba >= 0.0) continue;
      const Vector3d arc_b = nd.cross(nc);
      const double adc = na.dot(arc_b);
      const double bdc = nb.dot(arc_b);
      if (adc * bdc >= 0.0 || cba * bdc <= 0.0) continue;
      const Vector3d& pb = b.vertices()[eb.a];
      const Vector3d db = b.vertices()[eb.b] - pb;
      offerEdgeAxis(a, pa, da, b, pb, db, na + nb, size, best);
    }
  }
}

// Edges of a polyhedron against a segment, the directions across both.
void testEdges(const PlacedCore& polyhedron, const PlacedCore& segment, double size, double sign,
               Axis& best) {
  const Vector3d& s0 = segment.vertices()[0];
  const Vector3d ds = segment.vertices()[1] - s0;
  Axis own = best;  // from the polyhedron to the segment
  const auto turn = [sign](Axis& axis) {
    if (sign > 0.0) return;
    axis.normal = -axis.normal;
    std::swap(axis.point_a, axis.point_b);
    axis.feature = axis.feature.mirrored();
  };
  turn(own);
  for (const Polyhedron::Edge& edge : polyhedron.polyhedron().edges()) {
    const Vector3d left = polyhedron.faceNormal(edge.left);
    const Vector3d right = polyhedron.faceNormal(edge.right);
    if (left.dot(ds) * right.dot(ds) >= 0.0) continue;
    const Vector3d& p = polyhedron.vertices()[edge.a];
    const Vector3d d = polyhedron.vertices()[edge.b] - p;
    offerEdgeAxis(polyhedron, p, d, segment, s0, ds, left + right, size, own);
  }
  turn(own);
  best = own;
}

// Middle of the edge of a box along axis i that is furthest along d.
Vector3d edgeMiddle(const PlacedCore& box, int i, const Vector3d& d) {
  Vector3d middle = box.pose().p;
  for (int k = 0; k < 3; ++k) {
    if (k == i) continue;
    const Vector3d axis = box.pose().R.col(k);
    middle += (axis.dot(d) < 0.0 ? -1.0 : 1.0) * (*box.half())[k] * axis;
  }
  return middle;
}

// Where the two edges of an edge axis pass each other.
void setEdgePoints(const PlacedCore& a, int i, const PlacedCore& b, int j, Axis& axis) {
  const Vector3d da = (*a.half())[i] * a.pose().R.col(i);
  const Vector3d db = (*b.half())[j] * b.pose().R.col(j);
  const Vector3d pa = edgeMiddle(a, i, axis.normal);
  const Vector3d pb = edgeMiddle(b, j, -axis.normal);
  const SegmentPair pair = closestOnSegments(pa - da, pa + da, pb - db, pb + db);
  axis.point_a = pa + (2.0 * pair.s - 1.0) * da;
  axis.point_b = pb + (2.0 * pair.t - 1.0) * db;
  axis.setEdges(da, db);
}

// The direction of two boxes that is best so far: a face of one, or an edge of each.
struct BoxAxis {
  double separation = -std::numeric_limits<double>::infinity();
  int of_a = -1, of_b = -1;  // axes of the boxes
  double sign = 1.0;         // of the axis or cross product, so that it points from A to B
};

// Normal, points and feature of a direction found by projection.
void setBoxAxis(const PlacedCore& a, const PlacedCore& b, const Matrix3d& C, const BoxAxis& found,
                Axis& best) {
  const Matrix3d& A = a.pose().R;
  best.separation = found.separation;
  if (found.of_b < 0) {
    best.normal = found.sign * A.col(found.of_a);
    best.point_b = b.support(-best.normal);
    best.point_a = best.point_b - best.separation * best.normal;
    best.setFaceOfA(best.normal);
  } else if (found.of_a < 0) {
    best.normal = found.sign * b.pose().R.col(found.of_b);
    best.point_a = a.support(best.normal);
    best.point_b = best.point_a + best.separation * best.normal;
    best.setFaceOfB(-best.normal);
  } else {
    const int i1 = (found.of_a + 1) % 3, i2 = (found.of_a + 2) % 3;
    const int j = found.of_b;
    const Vector3d cross = (A.col(i2) * C(i1, j) - A.col(i1) * C(i2, j)) / std::hypot(C(i1, j), C(i2, j));
    best.normal = found.sign * cross;
    setEdgePoints(a, found.of_a, b, j, best);
  }
}

// Two boxes: fifteen directions, by projection.
bool testBoxes(const PlacedCore& a, const PlacedCore& b, double limit, Axis& best) {
  const Vector3d& ha = *a.half();
  const Vector3d& hb = *b.half();
  const Vector3d t = b.pose().p - a.pose().p;
  const Matrix3d C = a.pose().R.transpose() * b.pose().R;
  const Matrix3d absC = C.cwiseAbs();
  const Vector3d ta = a.pose().R.transpose() * t;
  const Vector3d tb = b.pose().R.transpose() * t;
  BoxAxis found;
  const auto signOf = [](double x) { return x < 0.0 ? -1.0 : 1.0; };
  for (int i = 0; i < 3; ++i) {
    const double separation = std::abs(ta[i]) - ha[i] - absC.row(i).dot(hb);
    if (separation > limit) return false;
    if (separation > found.separation) found = {separation, i, -1, signOf(ta[i])};
  }
  for (int j = 0; j < 3; ++j) {
    const double separation = std::abs(tb[j]) - hb[j] - absC.col(j).dot(ha);
    if (separation > limit) return false;
    if (separation > found.separation) found = {separation, -1, j, signOf(tb[j])};
  }
  const double preference = kFacePreference * (a.size() + b.size());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double sine2 = 1.0 - C(i, j) * C(i, j);
      if (sine2 < kBoxParallelSine2) continue;
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      // In A's axes the cross product is (0, -C(i2, j), C(i1, j)) turned to axis i.
      const double along = ta[i2] * C(i1, j) - ta[i1] * C(i2, j);
      const double reach = ha[i1] * absC(i2, j) + ha[i2] * absC(i1, j) + hb[j1] * absC(i, j2) +
                           hb[j2] * absC(i, j1);
      const double sine = std::hypot(C(i1, j), C(i2, j));
      const double separation = (std::abs(along) - reach) / sine;
      if (separation > limit) return false;
      if (separation > found.separation + preference) found = {separation, i, j, signOf(along)};
    }
  }
  setBoxAxis(a, b, C, found, best);
  return true;
}

// Closest points of two cores that are apart: a vertex and a polyhedron, or two edges. `result` holds
// the largest separation, a lower bound.
void findClosest(const PlacedCore& a, const PlacedCore& b, Separation& result) {
  Separation best;
  best.distance = std::numeric_limits<double>::infinity();
  const auto offer = [&best](const Separation& candidate) {
    if (candidate.distance < best.distance) best = candidate;
  };
  // What is further apart along the normal cannot be closest.
  const Vector3d& n = result.normal;
  const double far_a = n.dot(a.support(n));
  const double near_b = n.dot(b.support(-n));
  const double slack = kCoincident * (a.size() + b.size());
  const auto isFar = [&](double along) { return along > best.distance + slack; };
  if (a.isPolyhedron()) {
    for (const Vector3d& x : b.vertices()) {
      if (isFar(n.dot(x) - far_a)) continue;
      Separation candidate;
      separatePoint(x, a, candidate);
      offer(candidate);
    }
  }
  if (b.isPolyhedron()) {
    for (const Vector3d& x : a.vertices()) {
      if (isFar(near_b - n.dot(x))) continue;
      Separation candidate;
      separatePoint(x, b, candidate);
      flip(candidate);
      offer(candidate);
    }
  }
  static const std::vector<Polyhedron::Edge> kSegment = {{0, 1, -1, -1}};
  const auto edgesOf = [](const PlacedCore& core) -> const std::vector<Polyhedron::Edge>& {
    return core.isPolyhedron() ? core.polyhedron().edges() : kSegment;
  };
  for (const Polyhedron::Edge& ea : edgesOf(a)) {
    const Vector3d& a0 = a.vertices()[ea.a];
    const Vector3d& a1 = a.vertices()[ea.b];
    const double top = std::max(n.dot(a0), n.dot(a1));
    if (isFar(near_b - top)) continue;
    for (const Polyhedron::Edge& eb : edgesOf(b)) {
      const Vector3d& b0 = b.vertices()[eb.a];
      const Vector3d& b1 = b.vertices()[eb.b];
      if (isFar(std::min(n.dot(b0), n.dot(b1)) - top)) continue;
      const SegmentPair pair = closestOnSegments(a0, a1, b0, b1);
      const Vector3d pa = a0 + pair.s * (a1 - a0);
      const Vector3d pb = b0 + pair.t * (b1 - b0);
      if (!((pb - pa).squaredNorm() < best.distance * best.distance)) continue;
      Separation candidate;
      fromPoints(pa, pb, a1 - a0, candidate);
      // Between the ends the direction across both edges is exact, however small the distance.
      const Vector3d cross = (a1 - a0).cross(b1 - b0);
      const bool inside = pair.s > 0.0 && pair.s < 1.0 && pair.t > 0.0 && pair.t < 1.0;
      if (inside) {
        candidate.feature.a = {Element::Kind::line, pa, a1 - a0};
        candidate.feature.b = {Element::Kind::line, pb, b1 - b0};
        candidate.feature.normal_from = ContactFeature::NormalFrom::lines;
        candidate.feature.from_a = a1 - a0;
        candidate.feature.from_b = b1 - b0;
      }
      if (inside && cross.norm() > 1e-3 * (a1 - a0).norm() * (b1 - b0).norm()) {
        const double sign = cross.dot(result.normal) < 0.0 ? -1.0 : 1.0;
        candidate.normal = sign * cross.normalized();
        candidate.distance = candidate.normal.dot(b0 - a0);
      }
      offer(candidate);
    }
  }
  result = best;
}

// The separation is a lower bound of the distance; points of both bodies that stand at it, two edges or
// a vertex and a face, are the closest.
bool isDistance(const PlacedCore& a, const PlacedCore& b, bool of_edges, Separation& result) {
  const double enough = result.distance * (1.0 + 1e-14) + 1e-16 * (a.size() + b.size());
  if (of_edges && (result.point_b - result.point_a).norm() <= enough) return true;
  Separation candidate;
  if (a.isPolyhedron()) {
    separatePoint(b.support(-result.normal), a, candidate);
    if (candidate.distance > enough && b.isPolyhedron()) {
      separatePoint(a.support(result.normal), b, candidate);
      flip(candidate);
    }
  } else {
    separatePoint(a.support(result.normal), b, candidate);
    flip(candidate);
  }
  if (!(candidate.distance <= enough)) return false;
  result = candidate;
  return true;
}

bool separateByAxes(const PlacedCore& a, const PlacedCore& b, double limit, Separation& result) {
  Axis best;
  const double size = a.size() + b.size();
  if (a.half() != nullptr && b.half() != nullptr) {
    if (!testBoxes(a, b, limit, best)) return false;
  } else {
    if (a.isPolyhedron() && !testFaces(a, b, 1.0, limit, best)) return false;
    if (b.isPolyhedron() && !testFaces(b, a, -1.0, limit, best)) return false;
    if (a.isPolyhedron() && b.isPolyhedron()) {
      testEdges(a, b, size, best);
    } else if (a.isPolyhedron()) {
      testEdges(a, b, size, 1.0, best);
    } else {
      testEdges(b, a, size, -1.0, best);
    }
  }
  result = {best.separation, best.normal, best.point_a, best.point_b, best.feature};
  // Points that almost coincide have no direction; that of the largest separation is safe.
  if (best.separation > kCoincident * size && !isDistance(a, b, best.of_edges, result)) {
    findClosest(a, b, result);
  }
  return result.distance <= limit;
}

}  // namespace

bool separate(const PlacedCore& a, const PlacedCore& b, double limit, Separation& result) {
  result = {};
  if (a.isPolyhedron() && b.isPoint()) {
    separatePoint(b.vertices()[0], a, result);
  } else if (a.isPoint() && b.isPolyhedron()) {
    separatePoint(a.vertices()[0], b, result);
    flip(result);
  } else if (a.isPolyhedron() || b.isPolyhedron()) {
    return separateByAxes(a, b, limit, result);
  } else if (a.isPoint() && b.isPoint()) {
    fromPoints(a.vertices()[0], b.vertices()[0], Vector3d::Zero(), result);
  } else {
    const Vector3d& a0 = a.vertices().front();
    const Vector3d& a1 = a.vertices().back();
    const Vector3d& b0 = b.vertices().front();
    const Vector3d& b1 = b.vertices().back();
    const auto setLine = [](double t, const Vector3d& along, Element& element) {
      if (t <= 0.0 || t >= 1.0) return;
      element.kind = Element::Kind::line;
      element.along = along;
    };
    if (a.isPoint()) {
      const double t = closestOnSegment(a0, b0, b1);
      fromPoints(a0, b0 + t * (b1 - b0), b1 - b0, result);
      setLine(t, b1 - b0, result.feature.b);
    } else if (b.isPoint()) {
      const double s = closestOnSegment(b0, a0, a1);
      fromPoints(a0 + s * (a1 - a0), b0, a1 - a0, result);
      setLine(s, a1 - a0, result.feature.a);
    } else {
      const SegmentPair pair = closestOnSegments(a0, a1, b0, b1);
      const Vector3d across = (a1 - a0).cross(b1 - b0);
      fromPoints(a0 + pair.s * (a1 - a0), b0 + pair.t * (b1 - b0), a1 - a0, result);
      setLine(pair.s, a1 - a0, result.feature.a);
      setLine(pair.t, b1 - b0, result.feature.b);
      if (result.feature.a.kind == Element::Kind::line && result.feature.b.kind == Element::Kind::line) {
        result.feature.normal_from = ContactFeature::NormalFrom::lines;
        result.feature.from_a = a1 - a0;
        result.feature.from_b = b1 - b0;
      }
      // Axes that meet have no direction between points: it is across both, or across one if they are parallel.
      if (result.distance <= kCoincident * (a.size() + b.size())) {
        const bool parallel = across.norm() <= kParallelSine * (a1 - a0).norm() * (b1 - b0).norm();
        result.normal = parallel ? Vector3d(makeContactAxes((a1 - a0).normalized()).col(1))
                                 : Vector3d(across.normalized());
        result.distance = result.normal.dot(result.point_b - result.point_a);
      }
    }
  }
  return result.distance <= limit;
}

}  // namespace cornet
