#pragma once

#include <random>
#include <vector>

#include "cornet/math/pose.h"

/// The scenes that our collision code and coal are timed on.
namespace cornet::bench {

/// Poses of a second unit cube over the first: faces nearly parallel at this gap, or turned anyhow.
inline std::vector<Pose> posesOver(double gap, bool any_turn) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<Pose> poses;
  for (int k = 0; k < 256; ++k) {
    const double tilt = any_turn ? 1.0 : 1e-4;
    const Vector3d turn(tilt * normal(random), tilt * normal(random), normal(random));
    poses.emplace_back(expMap(turn), Vector3d(0.2 * normal(random), 0.2 * normal(random), 1.0 + gap));
  }
  return poses;
}

/// Places in a cloud of constant density: 0.35 m each way for every body.
inline std::vector<Vector3d> cloud(int count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(0.0, 0.35 * std::cbrt(count));
  std::vector<Vector3d> places;
  for (int k = 0; k < count; ++k) {
    const double x = place(random), y = place(random), z = place(random);
    places.emplace_back(x, y, z);
  }
  return places;
}

}  // namespace cornet::bench
