#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "cornet/math/rotation.h"

/// Random numbers whose bits depend on the seeds alone, not on the standard library. Two of them never stand in one
/// expression whose order is left open.
namespace cornet::fuzz {

class Random {
 public:
  explicit Random(std::initializer_list<std::uint32_t> seeds) {
    std::seed_seq sequence(seeds);
    engine_.seed(sequence);
  }

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// Equally likely in every decade.
  double logUniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  /// One of 0 ... count - 1.
  int index(int count) { return static_cast<int>(uniform(0.0, count)); }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }
  template <class Item>
  const Item& pick(const std::vector<Item>& items) {
    return items[static_cast<std::size_t>(index(static_cast<int>(items.size())))];
  }

  Vector3d inBox(const Vector3d& half) {
    const double x = uniform(-half.x(), half.x());
    const double y = uniform(-half.y(), half.y());
    return {x, y, uniform(-half.z(), half.z())};
  }
  Vector3d direction() {
    while (true) {
      const Vector3d x = inBox(Vector3d::Ones());
      const double length = x.norm();
      if (length > 0.01 && length <= 1.0) return x / length;
    }
  }
  /// In any direction; the length is drawn first.
  Vector3d vector(double shortest, double longest) {
    const double length = uniform(shortest, longest);
    return length * direction();
  }
  Vector3d logVector(double shortest, double longest) {
    const double length = logUniform(shortest, longest);
    return length * direction();
  }
  Quaterniond rotation() { return expMap(vector(0.0, 3.0)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace cornet::fuzz
