#pragma once

#include <optional>
#include <span>

#include "cornet/collision/bounds_tree.h"
#include "cornet/collision/narrow_phase.h"
#include "cornet/collision/query.h"

/// From poses to contacts: which shapes are near each other, and where they touch.
///
/// Pairs and contacts come in an order that depends on the numbering of shapes alone, not on the order of
/// insertion or on how bodies moved before: by shape of A, shape of B, feature key. A is the shape with the
/// smaller index, a half-space, bowl, mesh or height field before any other. Once buffers have their size nothing
/// is allocated but by coal, where shapes take that.
namespace cornet {

/// What meets what: two shapes can touch when each one's group is in the other's mask.
struct CollisionFilter {
  std::uint32_t group = 1;
  std::uint32_t mask = 0xffffffff;
};

/// For queries: meets every shape.
inline constexpr CollisionFilter kMeetsAll{0xffffffff, 0xffffffff};

/// What a ray hit.
struct DetectorHit : RayHit {
  int shape = -1;
  int body = -1;
};

class Detector {
 public:
  /// Adds a shape to a body, at X_BS in its frame, and returns its index. Throws std::invalid_argument
  /// naming the shape when its size or pose is impossible.
  int addShape(int body, Shape shape, const Pose& X_BS, int material = 0, CollisionFilter filter = {});
  /// Bodies whose shapes are never tested against each other.
  void excludeBodies(int body_a, int body_b);
  /// At most this many contacts per pair of shapes; at least 4, 8 by default.
  void setMaxPoints(int points) { max_points_ = points; }

  int shapeCount() const { return static_cast<int>(shapes_.size()); }

  /// Contacts of all pairs whose gap is at most the sum of the margins of their bodies. `poses` and
  /// `margins` have one entry per body. Throws std::invalid_argument when a body has no pose or one that
  /// is no rotation, a number is not finite, or a pair that is near has no routine.
  void detect(std::span<const Pose> poses, std::span<const double> margins, ContactSet& contacts);

  /// The same for some bodies alone, among themselves and with those that have no entry in `has`, which are not looked at among
  /// themselves: `has` tells of the first bodies which ones are meant.
  void detectAmong(std::span<const Pose> poses, std::span<const double> margins, std::span<const char> has, ContactSet& contacts);

  /// The same contacts at other poses: points, normals and gaps of their features. No contact comes or
  /// goes, whatever its gap. `contacts` must come from this detector.
  void refresh(std::span<const Pose> poses, ContactSet& contacts);

  /// One contact of `contacts` with its bodies at these poses, as `refresh` would give it.
  ManifoldPoint evaluateAt(const ContactSet& contacts, int k, const Pose& X_WA, const Pose& X_WB);

  /// The same, and its gap alone, of contacts whose features need no search: none for those of curved shapes. May be called from
  /// several threads.
  std::optional<ManifoldPoint> followFeature(const ContactSet& contacts, int k, const Pose& X_WA, const Pose& X_WB) const;
  std::optional<double> calcGapAt(const ContactSet& contacts, int k, const Pose& X_WA, const Pose& X_WB) const;

  /// Contacts of two shapes with their bodies at these poses, in the order of detection (shape_a as in a
  /// ContactSet) and with its keys.
  void collideAt(int shape_a, int shape_b, const Pose& X_WA, const Pose& X_WB, double margin,
                 Manifold& manifold);
  const Shape& shape(int index) const { return shapes_[index].shape; }

  /// Signed distance of two shapes whose bodies stand at these poses.
  double distanceAt(int shape_a, int shape_b, const Pose& X_WA, const Pose& X_WB);

  /// The nearest hit of a ray among the shapes that the filter meets, with bodies at these poses; of equal
  /// distances that of the smallest shape index. Throws as detect, and for an impossible ray.
  std::optional<DetectorHit> rayCast(std::span<const Pose> poses, const Ray& ray,
                                     CollisionFilter filter = kMeetsAll);
  /// The same for many rays: bodies are placed once, which costs more than a ray does. hits[k] is that of
  /// rays[k].
  void rayCast(std::span<const Pose> poses, std::span<const Ray> rays,
               std::vector<std::optional<DetectorHit>>& hits, CollisionFilter filter = kMeetsAll);

  /// Replaces `found` by the indices, ascending, of the shapes that overlap the given one; touching counts.
  /// Throws as detect, naming the shape of a pair that has no routine.
  void findOverlaps(std::span<const Pose> poses, const Shape& shape, const Pose& X_WS,
                    std::vector<int>& found, CollisionFilter filter = kMeetsAll);

 private:
  struct Placed {
    Shape shape;
    Pose X_BS;
    int body;
    int material;
    CollisionFilter filter;
    int leaf;  // -1: not in the tree (unbounded, or not placed yet)
  };

  std::optional<DetectorHit> castPlaced(const Ray& ray, CollisionFilter filter);
  // No margins at all stands for zero.
  void place(std::span<const Pose> poses, std::span<const double> margins);
  void placeShape(int i, std::span<const Pose> poses, std::span<const double> margins);
  void findPairs();
  void findPairsAmong(std::span<const char> has);
  void orderPairs();
  void addPairs(std::span<const double> margins, ContactSet& contacts);
  bool mayTouch(int i, int j) const;
  void addContacts(int i, int j, double margin, ContactSet& contacts);
  // Two shapes in the world, and in a frame F at A's position, in which contacts are computed.
  struct PlacedPair {
    Pose X_WA, X_WB, X_FA, X_FB;
  };
  PlacedPair placePair(int shape_a, int shape_b, const Pose& X_WA, const Pose& X_WB) const;
  void evaluatePlaced(const ContactSet& contacts, int k, const PlacedPair& pair, Vector3d& point_a,
                      Vector3d& point_b, Vector3d& normal, double& gap);
  bool findSupport(const ContactSet& contacts, int k, const Pose& X_WA, const Pose& X_WB,
                   ManifoldPoint& point);

  std::vector<Placed> shapes_;
  std::vector<std::pair<int, int>> excluded_;  // bodies, sorted
  std::vector<int> unbounded_;
  BoundsTree tree_;
  NarrowPhase narrow_;
  std::vector<Pose> X_WS_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> near_;
  Manifold manifold_;
  int max_points_ = 8;
};

}  // namespace cornet
