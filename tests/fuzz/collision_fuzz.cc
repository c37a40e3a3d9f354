// Random pairs of all shapes: sizes from 1e-9 to 1e6 m, poses that coincide, touch or are far apart. Every
// supported pair has finite contacts with unit normals and gap = n·(p_B - p_A), every other pair is refused
// by name; a ray against each shape is finite too. Prints the seed of the first pair that is not so.
//
//   collision_fuzz PAIRS [SEED]
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/collision/narrow_phase.h"
#include "cornet/collision/query.h"
#include "support/random_shape.h"

namespace {

using namespace cornet;
using namespace cornet::test;

constexpr SizeRange kSizes{1e-9, 1e6};

struct Placed {
  Shape shape;
  Pose X;
};

struct Counts {
  long collided = 0, refused = 0, contacts = 0, hits = 0;
};

// Any pose: turned not at all, by a little or by anything; at the origin or as far as shapes are large.
Pose drawPose(Random& random) {
  Matrix3d R = Matrix3d::Identity();
  if (random() % 3 == 1) R = randomRotation(random);
  if (random() % 3 == 2) {
    R = expMap(std::pow(10.0, uniform(random, -15.0, 0.0)) * randomDirection(random)).toRotationMatrix();
  }
  const Vector3d p = random() % 3 == 0 ? Vector3d(Vector3d::Zero())
                                       : Vector3d(kSizes.draw(random) * randomDirection(random));
  return {R, p};
}

// Sizes all alike in half of the cases, so that shapes meet as equals.
Placed drawShape(Random& random, double common) {
  const SizeRange sizes = random() % 2 == 0 ? kSizes : SizeRange{0.3 * common, 3.0 * common};
  return {makeRandomShape(random, sizes), drawPose(random)};
}

// What cannot be smaller than the rounding of a pair: its sizes and its distance.
double calcScale(const Placed& a, const Placed& b) {
  double scale = (b.X.p - a.X.p).norm();
  for (const Placed* placed : {&a, &b}) {
    if (const Bowl* bowl = std::get_if<Bowl>(&placed->shape)) scale += bowl->radius;
    if (isUnbounded(placed->shape)) continue;
    const Bounds bounds = calcBounds(placed->shape, Pose());
    scale += bounds.lower.norm() + bounds.upper.norm();
  }
  return scale + 1e-3 * (a.X.p.norm() + b.X.p.norm());
}

std::string faultOf(const ManifoldPoint& contact, double margin, double scale) {
  if (!contact.point_a.allFinite() || !contact.point_b.allFinite()) return "a point is not finite";
  if (!(std::abs(contact.normal.norm() - 1.0) < 1e-12)) return "the normal is no unit vector";
  if (!(contact.gap <= margin) || !std::isfinite(contact.gap)) return "the gap is beyond the margin";
  const double gap = contact.normal.dot(contact.point_b - contact.point_a);
  if (!(std::abs(gap - contact.gap) <= 1e-12 * scale)) {
    return fmt::format("gap {} but n.(pB - pA) = {}, size {}", contact.gap, gap, scale);
  }
  return {};
}

std::string tryPair(const Placed& a, const Placed& b, double margin, NarrowPhase& narrow,
                    Manifold& manifold, Counts& counts) {
  try {
    narrow.collide(a.shape, a.X, b.shape, b.X, {margin, 8}, manifold);
  } catch (const std::invalid_argument& error) {
    ++counts.refused;
    const std::string text = error.what();
    const bool named = text.find(nameOf(a.shape)) != text.npos && text.find(nameOf(b.shape)) != text.npos;
    return !named || NarrowPhase::supports(a.shape, b.shape) ? "refused: " + text : std::string();
  }
  ++counts.collided;
  counts.contacts += static_cast<long>(manifold.size());
  const double scale = calcScale(a, b);
  for (const ManifoldPoint& contact : manifold) {
    if (std::string fault = faultOf(contact, margin, scale); !fault.empty()) return fault;
  }
  return {};
}

std::string tryRay(const Placed& placed, const Ray& ray, Counts& counts) {
  const auto hit = rayCast(placed.shape, placed.X, ray);
  if (!hit) return {};
  ++counts.hits;
  if (!(hit->distance >= 0.0) || !hit->point.allFinite()) return "a hit of a ray is not finite";
  return std::abs(hit->normal.norm() - 1.0) < 1e-12 ? "" : "the normal of a hit is no unit vector";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const long pairs = std::atol(argv[1]);
  const long seed = argc > 2 ? std::atol(argv[2]) : 1;
  NarrowPhase narrow;
  Manifold manifold;
  Counts counts;
  const Stopwatch clock;
  for (long k = 0; k < pairs; ++k) {
    Random random(static_cast<unsigned>(seed + k));  // each pair can be had again by itself
    const double common = kSizes.draw(random);
    const Placed a = drawShape(random, common);
    Placed b = drawShape(random, common);
    if (random() % 8 == 0) b.X = a.X;
    if (random() % 8 == 0) b.shape = a.shape;
    const double margin = random() % 2 == 0 ? 0.0 : kSizes.draw(random);
    std::string fault = tryPair(a, b, margin, narrow, manifold, counts);
    const Ray ray{drawPose(random).p, kSizes.draw(random) * randomDirection(random)};
    if (fault.empty()) fault = tryRay(a, ray, counts);
    if (fault.empty()) continue;
    fmt::print(stderr, "pair {} ({} and {}): {}\n", seed + k, nameOf(a.shape), nameOf(b.shape), fault);
    return 1;
  }
  fmt::print("{} pairs collided with {} contacts, {} refused by name, {} hits of rays, {:.1f} s\n",
             counts.collided, counts.contacts, counts.refused, counts.hits, clock.seconds());
  return counts.collided > 0 && counts.hits > 0 ? 0 : 1;
}
