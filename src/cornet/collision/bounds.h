#pragma once

#include "cornet/math/types.h"

namespace cornet {

/// A corner box along the axes of some frame.
struct Bounds {
  Vector3d lower = Vector3d::Zero();
  Vector3d upper = Vector3d::Zero();

  bool overlaps(const Bounds& other) const {
    return (lower.array() <= other.upper.array()).all() &&
           (other.lower.array() <= upper.array()).all();
  }
  bool contains(const Bounds& other) const {
    return (lower.array() <= other.lower.array()).all() &&
           (other.upper.array() <= upper.array()).all();
  }
  Bounds inflated(double margin) const {
    return {lower - Vector3d::Constant(margin), upper + Vector3d::Constant(margin)};
  }
  Bounds united(const Bounds& other) const {
    return {lower.cwiseMin(other.lower), upper.cwiseMax(other.upper)};
  }
};

}  // namespace cornet
