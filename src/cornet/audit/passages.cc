#include "cornet/audit/passages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/audit/step_certifier.h"
#include "cornet/collision/query.h"

namespace cornet {
namespace {

constexpr double kFast = 0.5;      // of the size of the smaller body
constexpr double kLong = 0.25;     // of the smallest body: of two that are fast against each other one moves so far
constexpr double kTurn = 0.1;      // [rad] of the larger one, for which ways in its frame are taken for straight,
constexpr double kMostPieces = 100.0;  //   in so many pieces at the most

double calcDistanceToOrigin(const Vector3d& from, const Vector3d& to) {
  const Vector3d along = to - from;
  const double square = along.squaredNorm();
  const double t = square > 0.0 ? std::clamp(-from.dot(along) / square, 0.0, 1.0) : 0.0;
  return (from + t * along).norm();
}

}  // namespace

Passages::Passages(const WorldModel& world)
    : world_(world), excluded_(world.excluded()), smallest_(std::numeric_limits<double>::infinity()) {
  for (auto& [a, b] : excluded_) {
    if (a > b) std::swap(a, b);
  }
  std::ranges::sort(excluded_);
  for (int i = 0; i < world.bodyCount(); ++i) smallest_ = std::min(smallest_, world.body(i).size());
  for (int k = 0; k < world.environmentCount(); ++k) surroundings_move_ |= !isAtRest(world.environment(k).motion());
}

bool Passages::areExcluded(int a, int b) const { return std::ranges::binary_search(excluded_, std::pair(std::min(a, b), std::max(a, b))); }

// Whether a straight way in the frame of the larger body enters one of its solids.
bool Passages::meets(int small, int large, const Vector3d& from, const Vector3d& to) const {
  const double length = (to - from).norm();
  if (!(length > 0.0)) return false;
  const Vector3d centre = centreOf(world_, large);
  return std::ranges::any_of(shapesOf(world_, large), [&](const AssetShape& part) {
    const auto meetsPart = [&](const AssetShape& own) { return mayTouch(own.filter, part.filter); };
    if (std::ranges::none_of(shapesOf(world_, small), meetsPart)) return false;
    Pose X = part.X_BS;
    X.p -= centre;
    const std::optional<RayHit> hit = rayCast(part.shape, X, Ray{from, to - from, length});
    return hit && !hit->inside;
  });
}

// The places of a body in the frame of another one.
void Passages::traceWay(const BodyWay& own, const BodyWay& other) {
  collectCorners(own, other, times_);
  seen_.clear();
  for (std::size_t k = 1; k < times_.size(); ++k) {
    const WayLeg& leg = own.legAt(times_[k], false);
    const WayLeg& frame = other.legAt(times_[k], false);
    const double h = times_[k] - times_[k - 1];
    const double pieces = std::clamp(std::ceil(h * frame.omega.norm() / kTurn), 1.0, kMostPieces);
    for (double piece = k == 1 ? 0.0 : 1.0; piece <= pieces; ++piece) {
      const double t = times_[k - 1] + piece / pieces * h;
      seen_.push_back(turnAt(frame, t).conjugate() * (placeAt(leg, t) - placeAt(frame, t)));
    }
  }
}

bool Passages::goesThrough(int small, int large) {
  const BodyWay& own = ways_[static_cast<std::size_t>(small)];
  const BodyWay& other = ways_[static_cast<std::size_t>(large)];
  if (!own.is_known || !other.is_known || areExcluded(small, large)) return false;
  const double reach = large < world_.bodyCount() ? world_.body(large).radius() : std::numeric_limits<double>::infinity();
  if ((own.legs.front().from - other.legs.front().from).norm() > own.length + other.length + reach) return false;
  traceWay(own, other);
  double length = 0.0;
  for (std::size_t k = 1; k < seen_.size(); ++k) length += (seen_[k] - seen_[k - 1]).norm();
  if (!(length > kFast * sizeOf(world_, small))) return false;
  for (std::size_t k = 1; k < seen_.size(); ++k) {
    if (calcDistanceToOrigin(seen_[k - 1], seen_[k]) <= reach && meets(small, large, seen_[k - 1], seen_[k])) return true;
  }
  return false;
}

// The common case at once: nothing is fast. Surroundings that move are looked at.
bool Passages::isAnyFast(const StepEvidence& step) const {
  if (surroundings_move_ || !step.waypoints.empty()) return true;
  const double least = kLong * smallest_ / step.dt;
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    for (const InertialState* state : {&step.before.bodies[k], &step.after.bodies[k]}) {
      const double radius = world_.body(i).radius();
      if (2.0 * (state->velocity.squaredNorm() + radius * radius * state->omega.squaredNorm()) > least * least) return true;
    }
  }
  return false;
}

const std::vector<Passages::Passage>& Passages::find(const StepEvidence& step) {
  found_.clear();
  if (!isAnyFast(step)) return found_;
  ways_.resize(static_cast<std::size_t>(world_.totalCount()));
  for (int i = 0; i < world_.totalCount(); ++i) calcBodyWay(world_, step, i, ways_[static_cast<std::size_t>(i)]);
  const auto isFast = [&](int i) { return ways_[static_cast<std::size_t>(i)].length > kLong * smallest_; };
  for (int i = 0; i < world_.totalCount(); ++i) {
    if (!isFast(i)) continue;
    for (int j = 0; j < world_.totalCount(); ++j) {
      const bool is_done = j < i && isFast(j);  // of two fast ones
      if (i == j || is_done || std::min(i, j) >= world_.bodyCount()) continue;
      const bool is_smaller = sizeOf(world_, i) <= sizeOf(world_, j);
      const int small = is_smaller ? i : j, large = is_smaller ? j : i;
      if (goesThrough(small, large)) found_.push_back({small, large});
    }
  }
  return found_;
}

}  // namespace cornet
