#pragma once

#include <memory>

/// The distance of two convex shapes by the library coal (GJK and EPA), behind plain numbers: no type of
/// coal, Boost or Eigen crosses, and the file that includes their headers is a shared library of its own,
/// so that inline functions compiled for different processors never meet.
///
/// What comes back is a good guess and no more: distance and direction are accurate to about 1e-7 of the
/// larger shape, worse where faces are nearly parallel. `refine` makes it exact.
namespace cornet {

/// A shape at a pose. Sizes as in cornet/collision/shape.h.
struct CoalShape {
  enum class Kind { sphere, box, capsule, cylinder, cone, ellipsoid, hull, triangle };
  Kind kind = Kind::sphere;
  double size[3] = {};         // radius; half extents; radius and half length; radii
  int hull = -1;               // from addHull
  const double* vertices = {}; // of a triangle: nine numbers
  const double* R = {};        // nine numbers, column after column
  const double* p = {};        // three numbers
};

struct CoalWitness {
  double distance = 0.0;  // < 0 overlaps
  double normal[3] = {};  // from A to B, unit
  double point_a[3] = {};
  double point_b[3] = {};
};

/// Keeps the memory of the algorithms and the hulls it was given. Not for use by two threads at once.
class __attribute__((visibility("default"))) CoalDistance {
 public:
  /// Whether the library was built with coal; without it calc() is always false.
  static bool available();

  CoalDistance();
  ~CoalDistance();
  CoalDistance(const CoalDistance&) = delete;
  CoalDistance& operator=(const CoalDistance&) = delete;

  /// A convex polyhedron from 3·vertices coordinates and 3·triangles vertex indices, outward. Returns its
  /// handle.
  int addHull(const double* xyz, int vertices, const int* corners, int triangles);

  /// Computes in units of `unit` metres, which should be about the size of the larger shape: coal's
  /// tolerances are absolute. False when it found nothing finite.
  bool calc(const CoalShape& a, const CoalShape& b, double unit, CoalWitness& result);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cornet
