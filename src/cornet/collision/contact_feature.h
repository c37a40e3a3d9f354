#pragma once

#include <cstdint>

#include "cornet/math/pose.h"

/// What a contact is made of, so that it can be found again at other poses:
///
///   normal   of a plane of A or B, across two lines, or from point to point
///   on A     a point, or what lies under the other's point on a line or plane
///   on B     likewise                                                                          (COL-6)
///
/// Radii round off what was computed for points, lines and planes. A negative one is that of a hollow: its
/// point is the centre, the other one inside, and the normal points inward.
namespace cornet {

struct Element {
  enum class Kind : std::uint8_t { point, line, plane };
  Kind kind = Kind::point;
  Vector3d base = Vector3d::Zero();   // the point; a point of the line or plane
  Vector3d along = Vector3d::Zero();  // direction of the line, outward normal of the plane
};

struct ContactFeature {
  enum class NormalFrom : std::uint8_t { points, plane_a, plane_b, lines, support };
  NormalFrom normal_from = NormalFrom::points;  // support: only the narrow phase can tell
  Vector3d from_a = Vector3d::Zero();           // normal of A's plane, or direction of A's line
  Vector3d from_b = Vector3d::Zero();
  Element a, b;
  double radius_a = 0.0;
  double radius_b = 0.0;

  /// The same with what belongs to A moved by X_A and what belongs to B by X_B.
  ContactFeature moved(const Pose& X_A, const Pose& X_B) const;
  /// With the roles of A and B exchanged.
  ContactFeature mirrored() const;
};

/// Points, normal and gap of a feature in one frame. `normal` holds the last normal: it decides the sign
/// across two lines and stays where points coincide. Not for `support`.
void evaluate(const ContactFeature& feature, Vector3d& point_a, Vector3d& point_b, Vector3d& normal,
              double& gap);

}  // namespace cornet
