#include "cornet/audit/passages.h"

#include <algorithm>
#include <array>
#include <limits>

#include "cornet/audit/step_certifier.h"
#include "cornet/collision/query.h"
#include "cornet/math/rotation.h"

namespace cornet {
namespace {

constexpr double kFast = 0.5;      // of the size of the smaller body
constexpr double kLong = 0.25;     // of the smallest body: of two that are fast against each other one moves so far
constexpr double kMostTurn = 0.5;  // [rad] of the larger one: its frame turns evenly up to there

const std::vector<AssetShape>& shapesOf(const WorldModel& world, int body) {
  return body < world.bodyCount() ? world.body(body).shapes() : world.environment(body - world.bodyCount()).shapes();
}

bool mayTouch(const CollisionFilter& a, const CollisionFilter& b) { return (a.group & b.mask) != 0 && (b.group & a.mask) != 0; }

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

double Passages::sizeOf(int body) const {
  return body < world_.bodyCount() ? world_.body(body).size() : std::numeric_limits<double>::infinity();
}

Passages::Way Passages::calcWay(const StepEvidence& step, int body) const {
  const double h = step.dt;
  if (body >= world_.bodyCount()) {
    const AssetEnvironment& asset = world_.environment(body - world_.bodyCount());
    const InertialState from = asset.calcState(step.before.time), to = asset.calcState(step.before.time + h);
    return {from.position, 0.5 * (from.position + to.position), to.position, from.orientation, to.orientation, 0.5 * h,
            (to.position - from.position).norm(), true};
  }
  const InertialState& from = step.before.bodies[static_cast<std::size_t>(body)];
  const InertialState& to = step.after.bodies[static_cast<std::size_t>(body)];
  const Vector3d way = to.position - from.position, change = from.velocity - to.velocity;
  const double square = change.squaredNorm();
  const double t = square > 0.0 ? std::clamp((way - h * to.velocity).dot(change) / square, 0.0, h) : 0.5 * h;
  const Vector3d knee = 0.5 * (from.position + t * from.velocity + to.position - (h - t) * to.velocity);
  const double length = (knee - from.position).norm() + (to.position - knee).norm();
  return {from.position, knee, to.position, from.orientation, to.orientation, t, length, step.concerns(body)};
}

Vector3d Passages::placeAt(const Way& way, double t, double h) {
  if (t <= way.knee_time) return way.knee_time > 0.0 ? Vector3d(way.from + t / way.knee_time * (way.knee - way.from)) : way.knee;
  return way.knee + (t - way.knee_time) / (h - way.knee_time) * (way.to - way.knee);
}

// Whether a straight way in the frame of the larger body enters one of its solids.
bool Passages::meets(int small, int large, const Vector3d& from, const Vector3d& to) const {
  const double length = (to - from).norm();
  if (!(length > 0.0)) return false;
  const Vector3d centre = large < world_.bodyCount() ? world_.body(large).centre() : Vector3d::Zero();
  return std::ranges::any_of(shapesOf(world_, large), [&](const AssetShape& part) {
    const auto meetsPart = [&](const AssetShape& own) { return mayTouch(own.filter, part.filter); };
    if (std::ranges::none_of(shapesOf(world_, small), meetsPart)) return false;
    Pose X = part.X_BS;
    X.p -= centre;
    const std::optional<RayHit> hit = rayCast(part.shape, X, Ray{from, to - from, length});
    return hit && !hit->inside;
  });
}

bool Passages::goesThrough(int small, int large, double h) const {
  const Way& own = ways_[static_cast<std::size_t>(small)];
  const Way& other = ways_[static_cast<std::size_t>(large)];
  if (!own.is_known || !other.is_known || areExcluded(small, large)) return false;
  if (other.turned_from.angularDistance(other.turned_to) > kMostTurn) return false;
  std::array<double, 4> times = {0.0, own.knee_time, other.knee_time, h};
  std::ranges::sort(times);
  std::array<Vector3d, 4> seen;
  double length = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Quaterniond turned = other.turned_from.slerp(times[k] / h, other.turned_to);
    seen[k] = turned.conjugate() * (placeAt(own, times[k], h) - placeAt(other, times[k], h));
    if (k > 0) length += (seen[k] - seen[k - 1]).norm();
  }
  if (!(length > kFast * sizeOf(small))) return false;
  const double reach = large < world_.bodyCount() ? world_.body(large).radius() : std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (calcDistanceToOrigin(seen[k - 1], seen[k]) <= reach && meets(small, large, seen[k - 1], seen[k])) return true;
  }
  return false;
}

// The common case at once: nothing is fast. Surroundings that move are looked at.
bool Passages::isAnyFast(const StepEvidence& step) const {
  if (surroundings_move_) return true;
  const double least = kLong * smallest_ / step.dt;
  for (int i = 0; i < world_.bodyCount(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double square = std::max(step.before.bodies[k].velocity.squaredNorm(), step.after.bodies[k].velocity.squaredNorm());
    if (square > least * least) return true;
  }
  return false;
}

const std::vector<Passages::Passage>& Passages::find(const StepEvidence& step) {
  found_.clear();
  if (!isAnyFast(step)) return found_;
  ways_.clear();
  for (int i = 0; i < world_.totalCount(); ++i) ways_.push_back(calcWay(step, i));
  const auto isFast = [&](int i) { return ways_[static_cast<std::size_t>(i)].length > kLong * smallest_; };
  for (int i = 0; i < world_.totalCount(); ++i) {
    if (!isFast(i)) continue;
    for (int j = 0; j < world_.totalCount(); ++j) {
      const bool is_done = j < i && isFast(j);  // of two fast ones
      if (i == j || is_done || std::min(i, j) >= world_.bodyCount()) continue;
      const bool is_smaller = sizeOf(i) <= sizeOf(j);
      const int small = is_smaller ? i : j, large = is_smaller ? j : i;
      if (goesThrough(small, large, step.dt)) found_.push_back({small, large});
    }
  }
  return found_;
}

}  // namespace cornet
