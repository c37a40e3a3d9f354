#include "cornet/collision/bowl.h"

namespace cornet {
namespace {

// Lengths that differ by less of the size are the same when contacts are chosen.
constexpr double kEqualLength = 1e-9;

// Whether a vertex of a segment is its closest point to c: rounded, it is none of the surface.
bool isClosestEnd(const PlacedCore& core, std::size_t k, const Vector3d& c) {
  if (!core.isSegment()) return false;
  const Vector3d& x = core.vertices()[k];
  return (x - c).dot(x - core.vertices()[1 - k]) < 0.0;
}

}  // namespace

void addBowlManifold(const Bowl& bowl, const Pose& X_FA, const PlacedCore& core,
                     const ManifoldOptions& options, Manifold& manifold) {
  const std::size_t first = manifold.size();
  // A bowl is a ball of negative radius: from its centre, through the hollow, to its surface.
  ContactFeature feature;
  feature.a.base = X_FA.p;
  feature.radius_a = -bowl.radius;
  feature.radius_b = core.radius();
  for (std::size_t k = 0; k < core.vertices().size(); ++k) {
    if (isClosestEnd(core, k, X_FA.p)) continue;
    feature.b.base = core.vertices()[k];
    ManifoldPoint contact;
    contact.key = 11ULL << 48 | k;
    contact.feature = feature;
    evaluate(feature, contact.point_a, contact.point_b, contact.normal, contact.gap);
    if (contact.gap <= options.margin) manifold.push_back(contact);
  }
  finishManifold(first, kEqualLength * core.size(), options, manifold);
}

}  // namespace cornet
