#pragma once

#include <string_view>

#include "cornet/math/types.h"

namespace cornet {

/// Mass and inertia about the centre of mass, in body axes.
struct MassProperties {
  double mass = 1.0;                              // [kg]
  Matrix3d inertia = Matrix3d::Identity();        // [kg m²]

  static MassProperties solidSphere(double mass, double radius);
  /// `size` is the full edge lengths [m].
  static MassProperties solidBox(double mass, const Vector3d& size);

  /// Radius of gyration [m]: turns an angular velocity into a typical speed of the body.
  double gyrationRadius() const;

  /// Throws std::invalid_argument beginning with `name` when no body has these numbers: mass not
  /// positive, inertia not symmetric positive definite, or one principal moment above the sum of
  /// the others.
  void validate(std::string_view name) const;
};

}  // namespace cornet
