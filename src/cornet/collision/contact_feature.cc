#include "cornet/collision/contact_feature.h"

#include <algorithm>
#include <utility>

namespace cornet {
namespace {

Element moved(const Element& element, const Pose& X) {
  return {element.kind, X * element.base, X.R * element.along};
}

// The point of a line closest to x.
Vector3d footOnLine(const Element& line, const Vector3d& x) {
  return line.base + (x - line.base).dot(line.along) / line.along.squaredNorm() * line.along;
}

// Closest points of the two elements, for a normal that comes from them.
void findPoints(const ContactFeature& feature, Vector3d& pa, Vector3d& pb) {
  pa = feature.a.base;
  pb = feature.b.base;
  if (feature.a.kind == Element::Kind::line && feature.b.kind == Element::Kind::point) {
    pa = footOnLine(feature.a, pb);
  } else if (feature.b.kind == Element::Kind::line && feature.a.kind == Element::Kind::point) {
    pb = footOnLine(feature.b, pa);
  }
}

// Points of the two elements that lie over each other along n.
void findPointsAlong(const ContactFeature& feature, const Vector3d& n, Vector3d& pa, Vector3d& pb) {
  const auto under = [&n](const Element& element, const Vector3d& x) -> Vector3d {
    if (element.kind == Element::Kind::plane) {
      return x + element.along.dot(element.base - x) / element.along.dot(n) * n;
    }
    const Vector3d foot = element.kind == Element::Kind::line ? footOnLine(element, x) : element.base;
    return x + n.dot(foot - x) * n;
  };
  pa = feature.a.base;
  pb = feature.b.base;
  if (feature.a.kind == Element::Kind::line && feature.b.kind == Element::Kind::line) {
    const Vector3d w = pb - pa;
    const double det = feature.a.along.cross(feature.b.along).dot(n);
    pa += w.cross(feature.b.along).dot(n) / det * feature.a.along;
    pb += w.cross(feature.a.along).dot(n) / det * feature.b.along;
  } else if (feature.b.kind == Element::Kind::point && feature.a.kind != Element::Kind::point) {
    pa = under(feature.a, pb);
  } else if (feature.a.kind == Element::Kind::point && feature.b.kind != Element::Kind::point) {
    pb = under(feature.b, pa);
  }
}

}  // namespace

ContactFeature ContactFeature::moved(const Pose& X_A, const Pose& X_B) const {
  ContactFeature result = *this;
  // Directions that no normal comes from are never read.
  const bool both = normal_from == NormalFrom::lines || normal_from == NormalFrom::support;
  if (both || normal_from == NormalFrom::plane_a) result.from_a = X_A.R * from_a;
  if (both || normal_from == NormalFrom::plane_b) result.from_b = X_B.R * from_b;
  result.a = cornet::moved(a, X_A);
  result.b = cornet::moved(b, X_B);
  return result;
}

ContactFeature ContactFeature::mirrored() const {
  ContactFeature result = *this;
  std::swap(result.from_a, result.from_b);
  std::swap(result.a, result.b);
  std::swap(result.radius_a, result.radius_b);
  if (normal_from == NormalFrom::plane_a) result.normal_from = NormalFrom::plane_b;
  if (normal_from == NormalFrom::plane_b) result.normal_from = NormalFrom::plane_a;
  return result;
}

void evaluate(const ContactFeature& feature, Vector3d& pa, Vector3d& pb, Vector3d& n, double& gap) {
  using From = ContactFeature::NormalFrom;
  if (feature.normal_from == From::points) {
    findPoints(feature, pa, pb);
    const Vector3d apart = pb - pa;
    const double distance = apart.norm();
    const bool in_hollow = std::min(feature.radius_a, feature.radius_b) < 0.0;
    if (distance > 0.0) n = apart / (in_hollow ? -distance : distance);
    gap = n.dot(apart);
  } else {
    if (feature.normal_from == From::plane_a) n = feature.from_a;
    if (feature.normal_from == From::plane_b) n = -feature.from_b;
    if (feature.normal_from == From::lines) {
      const Vector3d cross = feature.from_a.cross(feature.from_b);
      const double length = cross.norm();
      if (length > 0.0) n = (cross.dot(n) < 0.0 ? -1.0 : 1.0) / length * cross;
    }
    findPointsAlong(feature, n, pa, pb);
    gap = n.dot(pb - pa);
  }
  pa += feature.radius_a * n;
  pb -= feature.radius_b * n;
  gap -= feature.radius_a + feature.radius_b;
}

}  // namespace cornet
