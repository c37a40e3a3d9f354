#include "cornet/collision/detector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/hash.h"

namespace cornet {
namespace {

// Leaves are this share of their size larger than they need to be.
constexpr double kLeafSlack = 0.05;

// A name for a feature of a pair of shapes.
std::uint64_t makePairKey(int i, int j, std::uint64_t feature) {
  const auto pair = static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j);
  return Hash().add(pair).add(feature).value();
}

// What is wrong with a pose; null when nothing is.
const char* faultOf(const Pose& pose) {
  if (!pose.p.allFinite() || !pose.R.allFinite()) return "is not finite";
  return isNearlyRotation(pose.R) ? nullptr : "is no rotation; normalise its quaternion";
}

}  // namespace

void ContactSet::clear() {
  for (auto* list : {&body_a, &body_b, &shape_a, &shape_b, &material_a, &material_b}) list->clear();
  for (auto* list : {&point_a, &point_b, &normal}) list->clear();
  gap.clear();
  key.clear();
  feature.clear();
}

int Detector::addShape(int body, Shape shape, const Pose& X_BS, int material,
                       CollisionFilter filter) {
  const auto index = static_cast<int>(shapes_.size());
  const std::string name = fmt::format("shape {} ({}) of body {}", index, nameOf(shape), body);
  if (body < 0) throw std::invalid_argument(name + ": bodies are counted from 0");
  validate(shape, name);
  if (const char* fault = faultOf(X_BS)) {
    throw std::invalid_argument(fmt::format("{}: the pose {}", name, fault));
  }
  if (isUnbounded(shape)) unbounded_.push_back(index);
  shapes_.push_back({std::move(shape), X_BS, body, material, filter, -1});
  return index;
}

void Detector::excludeBodies(int body_a, int body_b) {
  const std::pair<int, int> pair = std::minmax(body_a, body_b);
  const auto place = std::ranges::lower_bound(excluded_, pair);
  if (place == excluded_.end() || *place != pair) excluded_.insert(place, pair);
}

// Its world pose, and a leaf that holds it with its margin.
void Detector::placeShape(int i, std::span<const Pose> poses, std::span<const double> margins) {
  Placed& placed = shapes_[i];
  const auto body = static_cast<std::size_t>(placed.body);
  if (body >= poses.size() || (body >= margins.size() && !margins.empty())) {
    throw std::invalid_argument(fmt::format("shape {} belongs to body {}, but there are {} poses and "
                                            "{} margins",
                                            i, body, poses.size(), margins.size()));
  }
  const double margin = margins.empty() ? 0.0 : margins[body];
  if (const char* fault = faultOf(poses[body])) {
    throw std::invalid_argument(fmt::format("shape {} ({}) of body {}: the pose of the body {}", i,
                                            nameOf(placed.shape), body, fault));
  }
  if (!(margin >= 0.0 && std::isfinite(margin))) {
    throw std::invalid_argument(
        fmt::format("shape {} ({}) of body {}: margin = {} m: expected a finite number >= 0", i,
                    nameOf(placed.shape), body, margin));
  }
  X_WS_[i] = poses[body] * placed.X_BS;
  if (isUnbounded(placed.shape)) return;
  const Bounds bounds = calcBounds(placed.shape, X_WS_[i]).inflated(margin);
  const double slack = kLeafSlack * (bounds.upper - bounds.lower).maxCoeff();
  if (placed.leaf < 0) {
    placed.leaf = tree_.insert(bounds, slack, i);
  } else {
    tree_.update(placed.leaf, bounds, slack);
  }
}

void Detector::place(std::span<const Pose> poses, std::span<const double> margins) {
  X_WS_.resize(shapes_.size());
  for (int i = 0; i < shapeCount(); ++i) placeShape(i, poses, margins);
}

bool Detector::mayTouch(int i, int j) const {
  const Placed& a = shapes_[i];
  const Placed& b = shapes_[j];
  if (a.body == b.body || (isStatic(a.shape) && isStatic(b.shape))) return false;
  if ((a.filter.group & b.filter.mask) == 0 || (b.filter.group & a.filter.mask) == 0) return false;
  return !std::ranges::binary_search(excluded_, std::pair<int, int>(std::minmax(a.body, b.body)));
}

void Detector::findPairs() {
  pairs_.clear();
  tree_.findPairs(pairs_);
  for (const int h : unbounded_) {
    for (int j = 0; j < static_cast<int>(shapes_.size()); ++j) {
      if (!isUnbounded(shapes_[j].shape)) pairs_.emplace_back(h, j);
    }
  }
  orderPairs();
}

// Of shapes of bodies that `has` names, with each other and with those it says nothing of.
void Detector::findPairsAmong(std::span<const char> has) {
  const auto isMeant = [&](int i) { return static_cast<std::size_t>(shapes_[i].body) < has.size() && has[shapes_[i].body]; };
  const auto isBeside = [&](int i) { return static_cast<std::size_t>(shapes_[i].body) >= has.size(); };
  pairs_.clear();
  for (int i = 0; i < shapeCount(); ++i) {
    if (!isMeant(i)) continue;
    for (const int h : unbounded_) {
      if (isMeant(h) || isBeside(h)) pairs_.emplace_back(h, i);
    }
    if (isUnbounded(shapes_[i].shape)) continue;
    near_.clear();
    tree_.findOverlaps(tree_.box(shapes_[i].leaf), near_);
    for (const int j : near_) {
      if (isBeside(j) || (isMeant(j) && i < j)) pairs_.emplace_back(std::min(i, j), std::max(i, j));
    }
  }
  orderPairs();
}

void Detector::orderPairs() {
  std::erase_if(pairs_, [this](const auto& pair) { return !mayTouch(pair.first, pair.second); });
  for (auto& [i, j] : pairs_) {
    if (surfaceOf(shapes_[j].shape) != nullptr) std::swap(i, j);
  }
  std::ranges::sort(pairs_);
}

void Detector::addPairs(std::span<const double> margins, ContactSet& contacts) {
  for (const auto& [i, j] : pairs_) {
    addContacts(i, j, margins[shapes_[i].body] + margins[shapes_[j].body], contacts);
  }
}

void Detector::addContacts(int i, int j, double margin, ContactSet& contacts) {
  if (!NarrowPhase::supports(shapes_[i].shape, shapes_[j].shape)) {
    throw std::invalid_argument(fmt::format(
        "shape {} ({}) of body {} is near shape {} ({}) of body {}: contacts of this pair are not "
        "supported by this build",
        i, nameOf(shapes_[i].shape), shapes_[i].body, j, nameOf(shapes_[j].shape), shapes_[j].body));
  }
  narrow_.collideInOrder(shapes_[i].shape, X_WS_[i], shapes_[j].shape, X_WS_[j],
                         {margin, max_points_}, manifold_);
  for (const ManifoldPoint& point : manifold_) {
    contacts.body_a.push_back(shapes_[i].body);
    contacts.body_b.push_back(shapes_[j].body);
    contacts.shape_a.push_back(i);
    contacts.shape_b.push_back(j);
    contacts.point_a.push_back(point.point_a);
    contacts.point_b.push_back(point.point_b);
    contacts.normal.push_back(point.normal);
    contacts.gap.push_back(point.gap);
    contacts.key.push_back(makePairKey(i, j, point.key));
    contacts.feature.push_back(point.feature.moved(X_WS_[i].inverse(), X_WS_[j].inverse()));
    contacts.material_a.push_back(shapes_[i].material);
    contacts.material_b.push_back(shapes_[j].material);
  }
}

void Detector::detect(std::span<const Pose> poses, std::span<const double> margins,
                      ContactSet& contacts) {
  contacts.clear();
  place(poses, margins);
  findPairs();
  addPairs(margins, contacts);
}

void Detector::detectAmong(std::span<const Pose> poses, std::span<const double> margins, std::span<const char> has,
                           ContactSet& contacts) {
  contacts.clear();
  X_WS_.resize(shapes_.size());
  for (int i = 0; i < shapeCount(); ++i) {
    const auto body = static_cast<std::size_t>(shapes_[i].body);
    if (body >= has.size() || has[body]) placeShape(i, poses, margins);
  }
  findPairsAmong(has);
  addPairs(margins, contacts);
}

// A contact that wanders over its shape when that turns: only the narrow phase knows where to.
bool Detector::findSupport(const ContactSet& contacts, int k, const Pose& X_WA, const Pose& X_WB,
                           ManifoldPoint& point) {
  const int i = contacts.shape_a[k];
  const int j = contacts.shape_b[k];
  if (surfaceOf(shapes_[i].shape) != nullptr) {
    point.feature = contacts.feature[k].moved(X_WA, X_WB);
    refreshRoundContact(shapes_[j].shape, X_WB, manifold_, point);
    return true;
  }
  ManifoldOptions options;
  options.margin = std::numeric_limits<double>::infinity();
  options.max_points = max_points_;
  narrow_.collideInOrder(shapes_[i].shape, X_WA, shapes_[j].shape, X_WB, options, manifold_);
  for (const ManifoldPoint& found : manifold_) {
    if (makePairKey(i, j, found.key) != contacts.key[k]) continue;
    point = found;
    return true;
  }
  return false;
}

Detector::PlacedPair Detector::placePair(int shape_a, int shape_b, const Pose& X_WA,
                                         const Pose& X_WB) const {
  PlacedPair pair;
  pair.X_WA = X_WA * shapes_[shape_a].X_BS;
  pair.X_WB = X_WB * shapes_[shape_b].X_BS;
  pair.X_FA = Pose(pair.X_WA.R, Vector3d::Zero());
  pair.X_FB = Pose(pair.X_WB.R, pair.X_WB.p - pair.X_WA.p);
  return pair;
}

// A contact with its shapes at these poses; points and normal hold the last ones.
void Detector::evaluatePlaced(const ContactSet& contacts, int k, const PlacedPair& pair, Vector3d& point_a,
                              Vector3d& point_b, Vector3d& normal, double& gap) {
  const ContactFeature& feature = contacts.feature[k];
  if (feature.normal_from == ContactFeature::NormalFrom::support) {
    ManifoldPoint point{point_a, point_b, normal, gap, contacts.key[k], {}};
    findSupport(contacts, k, pair.X_WA, pair.X_WB, point);
    point_a = point.point_a;
    point_b = point.point_b;
    normal = point.normal;
    gap = point.gap;
    return;
  }
  evaluate(feature.moved(pair.X_FA, pair.X_FB), point_a, point_b, normal, gap);
  point_a += pair.X_WA.p;
  point_b += pair.X_WA.p;
}

ManifoldPoint Detector::evaluateAt(const ContactSet& contacts, int k, const Pose& X_WA,
                                   const Pose& X_WB) {
  ManifoldPoint point{contacts.point_a[k], contacts.point_b[k], contacts.normal[k], contacts.gap[k],
                      contacts.key[k], {}};
  evaluatePlaced(contacts, k, placePair(contacts.shape_a[k], contacts.shape_b[k], X_WA, X_WB), point.point_a,
                 point.point_b, point.normal, point.gap);
  return point;
}

std::optional<ManifoldPoint> Detector::followFeature(const ContactSet& contacts, int k, const Pose& X_WA,
                                                     const Pose& X_WB) const {
  const ContactFeature& feature = contacts.feature[k];
  if (feature.normal_from == ContactFeature::NormalFrom::support) return std::nullopt;
  const PlacedPair pair = placePair(contacts.shape_a[k], contacts.shape_b[k], X_WA, X_WB);
  ManifoldPoint point{{}, {}, contacts.normal[k], 0.0, contacts.key[k], {}};  // the normal decides the sign across two lines
  evaluate(feature.moved(pair.X_FA, pair.X_FB), point.point_a, point.point_b, point.normal, point.gap);
  point.point_a += pair.X_WA.p;
  point.point_b += pair.X_WA.p;
  return point;
}

std::optional<double> Detector::calcGapAt(const ContactSet& contacts, int k, const Pose& X_WA, const Pose& X_WB) const {
  const std::optional<ManifoldPoint> point = followFeature(contacts, k, X_WA, X_WB);
  return point ? std::optional(point->gap) : std::nullopt;
}

void Detector::refresh(std::span<const Pose> poses, ContactSet& contacts) {
  PlacedPair pair;  // its contacts follow each other
  for (int k = 0; k < contacts.size(); ++k) {
    const int shape_a = contacts.shape_a[k];
    const int shape_b = contacts.shape_b[k];
    if (k == 0 || shape_a != contacts.shape_a[k - 1] || shape_b != contacts.shape_b[k - 1]) {
      pair = placePair(shape_a, shape_b, poses[contacts.body_a[k]], poses[contacts.body_b[k]]);
    }
    evaluatePlaced(contacts, k, pair, contacts.point_a[k], contacts.point_b[k], contacts.normal[k],
                   contacts.gap[k]);
  }
}

void Detector::collideAt(int shape_a, int shape_b, const Pose& X_WA, const Pose& X_WB, double margin,
                         Manifold& manifold) {
  const Placed& a = shapes_[shape_a];
  const Placed& b = shapes_[shape_b];
  narrow_.collideInOrder(a.shape, X_WA * a.X_BS, b.shape, X_WB * b.X_BS, {margin, max_points_}, manifold);
  for (ManifoldPoint& point : manifold) point.key = makePairKey(shape_a, shape_b, point.key);
}

double Detector::distanceAt(int shape_a, int shape_b, const Pose& X_WA, const Pose& X_WB) {
  const Placed& a = shapes_[shape_a];
  const Placed& b = shapes_[shape_b];
  return narrow_.calcDistance(a.shape, X_WA * a.X_BS, b.shape, X_WB * b.X_BS).gap;
}

}  // namespace cornet
