#include "cornet/collision/curved/curved_pair.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cornet/collision/coal/coal_distance.h"
#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

// Of the size: a proved distance smaller than coal's by more is not the best one.
constexpr double kAgreement = 3e-7;
// Of the size: coal is at its best with shapes this far apart.
constexpr double kClearance = 1e-2;
// Of the size: distances that differ by rounding alone.
constexpr double kEqualDistance = 1e-13;
// Of the size: a depth at which a corner may be all that dips in.
constexpr double kShallow = 1e-3;
constexpr int kApproaches = 6;

using Kind = CoalShape::Kind;

void set(Kind kind, double x, double y, double z, CoalShape& result) {
  result.kind = kind;
  result.size[0] = x;
  result.size[1] = y;
  result.size[2] = z;
}

void describe(const Sphere& s, CoalShape& to) { set(Kind::sphere, s.radius, 0.0, 0.0, to); }
void describe(const Box& s, CoalShape& to) {
  set(Kind::box, s.half().x(), s.half().y(), s.half().z(), to);
}
void describe(const Capsule& s, CoalShape& to) {
  set(Kind::capsule, s.radius, s.half_length, 0.0, to);
}
void describe(const Cylinder& s, CoalShape& to) {
  set(Kind::cylinder, s.radius, s.half_length, 0.0, to);
}
void describe(const Cone& s, CoalShape& to) { set(Kind::cone, s.radius, s.half_length, 0.0, to); }
void describe(const Ellipsoid& s, CoalShape& to) {
  set(Kind::ellipsoid, s.radii.x(), s.radii.y(), s.radii.z(), to);
}
void describe(const ConvexHull&, CoalShape& to) { set(Kind::hull, 0.0, 0.0, 0.0, to); }
void describe(const HalfSpace&, CoalShape&) {}
void describe(const TriangleMesh&, CoalShape&) {}  // taken triangle by triangle
void describe(const HeightField&, CoalShape&) {}
void describe(const Bowl&, CoalShape&) {}

// Where a corner dips into the other shape there are several ways out, all of them short: directions far
// from the best one are nearly as good.
bool isAmbiguous(const PlacedConvex& a, const PlacedConvex& b, const Separation& found) {
  constexpr double kAside = 0.3;       // radians, about
  constexpr double kNearlyAsGood = 10.0;
  if (!(found.distance < 0.0) || found.distance < -kShallow * (a.size() + b.size())) return false;
  const Matrix3d axes = makeContactAxes(found.normal);
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.25 * std::numbers::pi * k;
    const Vector3d aside = std::cos(angle) * axes.col(1) + std::sin(angle) * axes.col(2);
    const Vector3d n = (found.normal + kAside * aside).normalized();
    if (separationAlong(a, b, n) > kNearlyAsGood * found.distance) return true;
  }
  return false;
}

}  // namespace

bool CurvedPair::available() { return CoalDistance::available(); }

CurvedPair::CurvedPair() : coal_(std::make_unique<CoalDistance>()) {}

CurvedPair::~CurvedPair() = default;

int CurvedPair::hullOf(const Polyhedron& polyhedron) {
  const auto place = std::ranges::lower_bound(hulls_, polyhedron.id(), {},
                                              &std::pair<std::uint64_t, int>::first);
  if (place != hulls_.end() && place->first == polyhedron.id()) return place->second;
  std::vector<int> triangles;
  for (int f = 0; f < static_cast<int>(polyhedron.faces().size()); ++f) {
    const std::span<const int> loop = polyhedron.loop(f);
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
      triangles.insert(triangles.end(), {loop[0], loop[k], loop[k + 1]});
    }
  }
  const int handle = coal_->addHull(polyhedron.vertices()[0].data(),
                                    static_cast<int>(polyhedron.vertices().size()), triangles.data(),
                                    static_cast<int>(triangles.size() / 3));
  hulls_.insert(place, {polyhedron.id(), handle});
  return handle;
}

// The shape as coal_distance.h wants it.
CoalShape CurvedPair::describeFor(const PlacedConvex& placed) {
  CoalShape result;
  result.R = placed.pose().R.data();
  result.p = placed.pose().p.data();
  if (placed.shape() == nullptr) {
    result.kind = Kind::triangle;
    result.vertices = placed.polyhedron()->vertices()[0].data();
    return result;
  }
  std::visit([&result](const auto& shape) { describe(shape, result); }, *placed.shape());
  if (result.kind == Kind::hull) result.hull = hullOf(*placed.polyhedron());
  return result;
}

bool CurvedPair::guess(const PlacedConvex& a, const PlacedConvex& b, const Vector3d& shift,
                       Separation& result) {
  const CoalShape shape_a = describeFor(a);
  CoalShape shape_b = describeFor(b);
  const Vector3d shifted = b.pose().p + shift;
  shape_b.p = shifted.data();
  // A power of two: dividing by it rounds nothing.
  const double unit = std::exp2(std::ilogb(std::max(a.size(), b.size())));
  CoalWitness witness;
  if (!coal_->calc(shape_a, shape_b, unit, witness)) return false;
  result.distance = witness.distance;
  result.normal = Eigen::Map<const Vector3d>(witness.normal);
  result.point_a = Eigen::Map<const Vector3d>(witness.point_a);
  result.point_b = Eigen::Map<const Vector3d>(witness.point_b) - shift;
  return true;
}

// B is moved out along the line of centres and back again, until it all but touches A: there coal finds
// its way.
bool CurvedPair::approach(const PlacedConvex& a, const PlacedConvex& b, double expected,
                          Separation& best) {
  const double size = a.size() + b.size();
  const Vector3d apart = b.centre() - a.centre();
  const Vector3d out = apart.norm() > 0.0 ? Vector3d(apart.normalized()) : Vector3d::UnitZ();
  double way = std::max(0.0, -separationAlong(a, b, out)) + kClearance * size;
  for (int k = 0; k < kApproaches; ++k) {
    Separation moved;
    if (!guess(a, b, way * out, moved)) break;
    Separation found = moved;
    const bool proved = refiner_.refine(a, b, Refiner::Search::near, found);
    if (proved ? found.distance > best.distance - kEqualDistance * size : found.distance > best.distance) {
      best = found;
      if (proved && found.distance >= expected - kAgreement * size) return true;
    }
    const double along = moved.normal.dot(out);
    if (!(along > 0.01) || !(moved.distance > kClearance * size)) break;
    way -= (moved.distance - 0.5 * kClearance * size) / along;
  }
  return false;
}

bool CurvedPair::separate(const PlacedConvex& a, const PlacedConvex& b, double limit,
                          Separation& result) {
  result = {};
  const bool guessed = guess(a, b, Vector3d::Zero(), result);
  const double expected = result.distance;
  if (!guessed) {
    result.point_a = a.support(result.normal);
    result.point_b = b.support(-result.normal);
  }
  // A lower bound of the distance, whatever the direction is worth.
  if (separationAlong(a, b, result.normal) > limit) return false;
  const double size = a.size() + b.size();
  const Separation first = result;
  const auto agrees = [&](const Separation& found) {
    return found.distance >= expected - kAgreement * size;
  };
  // Where shapes touch, coal's distance is right but its direction may be any.
  const bool proved = refiner_.refine(a, b, Refiner::Search::near, result);
  bool is_proved = (guessed && proved && agrees(result)) || approach(a, b, expected, result);
  if (!is_proved || isAmbiguous(a, b, result)) {
    // Corners that touch: the direction may be far from any that is found at a distance.
    for (Separation found : {result, first}) {
      const bool found_proof = refiner_.refine(a, b, Refiner::Search::far, found);
      const double better = found_proof == is_proved ? 0.0 : found_proof ? -kEqualDistance : kEqualDistance;
      if (!(found.distance > result.distance + better * size)) continue;
      result = found;
      is_proved = found_proof;
    }
  }
  return result.distance <= limit;
}

}  // namespace cornet
