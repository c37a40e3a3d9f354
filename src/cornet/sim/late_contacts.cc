#include "cornet/sim/late_contacts.h"

#include <algorithm>

#include <Eigen/Geometry>

#include "cornet/sim/drift.h"
#include "cornet/sim/make_contact.h"

namespace cornet {
namespace {

constexpr double kDeeper = 1e-6;  // [m] what counts as deeper

// How far points of a body have come at most.
double calcWay(const StepBody& body, const InertialState& end) {
  if (!body.moves()) return 0.0;
  return (end.position - body.start.position).norm() +
         body.asset->radius() * end.orientation.angularDistance(body.start.orientation);
}

// From where the point at `arm` came, to where it is.
Vector3d calcPointWay(const StepBody& body, const InertialState& end, const Vector3d& arm) {
  const Vector3d arm_before = body.start.orientation * (end.orientation.conjugate() * arm);
  return end.position + arm - body.start.position - arm_before;
}

}  // namespace

bool LateContacts::find(const Search& search, std::span<const ShapePair> pairs) {
  const auto known = static_cast<std::ptrdiff_t>(search.contacts.size());
  for (const ShapePair& pair : pairs) {
    const StepBody& a = search.bodies[pair.body_a];
    const StepBody& b = search.bodies[pair.body_b];
    if (a.island < 0 && b.island < 0) continue;  // free motion: impacts have seen it
    const InertialState end_a = calcEndState(a, search.h);
    const InertialState end_b = calcEndState(b, search.h);
    const auto isMoved = [](const StepBody& body) {
      return !body.moves() && !(body.displacement.isZero(0.0) && body.turning.isZero(0.0));
    };
    const double limit = std::min(pair.least, 0.0) - kDeeper;
    const bool may_move = isMoved(a) || isMoved(b);
    if (!may_move && pair.least - limit > calcWay(a, end_a) + calcWay(b, end_b)) continue;
    const Pose X_WA(end_a.orientation, end_a.position);
    const Pose X_WB(end_b.orientation, end_b.position);
    if (!(search.detector.distanceAt(pair.shape_a, pair.shape_b, X_WA, X_WB) < limit)) continue;
    search.detector.collideAt(pair.shape_a, pair.shape_b, X_WA, X_WB, 0.0, manifold_);
    const StepContact first = makeContact(search.world, search.found, pair.begin, false, search.bodies);
    for (const ManifoldPoint& point : manifold_) {
      const auto isThis = [&](const StepContact& contact) { return contact.key == point.key; };
      if (!(point.gap < limit)) continue;
      if (std::any_of(search.contacts.begin(), search.contacts.begin() + known, isThis)) continue;
      StepContact contact = makeContactAt(first, point, end_a, end_b, search.bodies);
      contact.gap -= point.normal.dot(calcPointWay(b, end_b, contact.arm_b) -
                                      calcPointWay(a, end_a, contact.arm_a));
      judgeImpact(search, contact);
      search.contacts.push_back(contact);
    }
  }
  return static_cast<std::ptrdiff_t>(search.contacts.size()) > known;
}

}  // namespace cornet
