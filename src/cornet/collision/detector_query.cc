// Rays and overlaps through the tree of the detector.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/collision/detector.h"

namespace cornet {
namespace {

bool meets(const CollisionFilter& a, const CollisionFilter& b) {
  return (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
}

}  // namespace

std::optional<DetectorHit> Detector::castPlaced(const Ray& ray, CollisionFilter filter) {
  validate(ray);
  std::optional<DetectorHit> nearest;
  // The best distance so far is the limit of what follows; ties go to the smaller index.
  const auto visit = [&](int i, double limit) {
    if (!meets(filter, shapes_[i].filter)) return limit;
    const auto hit =
        cornet::rayCast(shapes_[i].shape, X_WS_[i], {ray.origin, ray.direction, limit});
    if (!hit || (nearest && hit->distance == nearest->distance && i > nearest->shape)) return limit;
    nearest = DetectorHit{*hit, i, shapes_[i].body};
    return hit->distance;
  };
  double limit = ray.max_distance;
  for (const int h : unbounded_) limit = visit(h, limit);
  tree_.castRay(ray.origin, ray.direction.stableNormalized(), limit, visit);
  return nearest;
}

std::optional<DetectorHit> Detector::rayCast(std::span<const Pose> poses, const Ray& ray,
                                             CollisionFilter filter) {
  place(poses, {});
  return castPlaced(ray, filter);
}

void Detector::rayCast(std::span<const Pose> poses, std::span<const Ray> rays,
                       std::vector<std::optional<DetectorHit>>& hits, CollisionFilter filter) {
  place(poses, {});
  hits.clear();
  for (const Ray& ray : rays) hits.push_back(castPlaced(ray, filter));
}

void Detector::findOverlaps(std::span<const Pose> poses, const Shape& shape, const Pose& X_WS,
                            std::vector<int>& found, CollisionFilter filter) {
  validate(shape, nameOf(shape));
  if (!X_WS.p.allFinite() || !X_WS.R.allFinite() || !isNearlyRotation(X_WS.R)) {
    throw std::invalid_argument(fmt::format("{}: the pose is not finite, or no rotation", nameOf(shape)));
  }
  place(poses, {});
  found.clear();
  tree_.findOverlaps(calcBounds(shape, X_WS), found);
  found.insert(found.end(), unbounded_.begin(), unbounded_.end());
  std::ranges::sort(found);
  std::erase_if(found, [&](int i) {
    if (!meets(filter, shapes_[i].filter)) return true;
    if (!NarrowPhase::supports(shape, shapes_[i].shape)) {
      throw std::invalid_argument(
          fmt::format("the {} asked about is near shape {} ({}) of body {}: this pair is not supported by "
                      "this build",
                      nameOf(shape), i, nameOf(shapes_[i].shape), shapes_[i].body));
    }
    narrow_.collide(shape, X_WS, shapes_[i].shape, X_WS_[i], {}, manifold_);
    return manifold_.empty();
  });
}

}  // namespace cornet
