#pragma once

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "support/random_shapes.h"

/// Random shapes and poses of every kind, for tests that must hold for all of them.
namespace cornet::test {

/// Sizes [m] from `least` to `most`, even in their logarithm.
struct SizeRange {
  double least = 0.1;
  double most = 1.0;
  double draw(Random& random) const {
    return std::exp(uniform(random, std::log(least), std::log(most)));
  }
  Vector3d drawThree(Random& random) const {
    const double x = draw(random), y = draw(random), z = draw(random);
    return {x, y, z};
  }
};

// One function per shape: a new one in the variant does not compile until it says how it is made.
template <class AnyShape>
struct Kind {};
inline Shape makeRandom(Kind<Sphere>, Random& random, SizeRange size) { return Sphere{size.draw(random)}; }
inline Shape makeRandom(Kind<Box>, Random& random, SizeRange size) { return Box(size.drawThree(random)); }
inline Shape makeRandom(Kind<Capsule>, Random& random, SizeRange size) {
  const double radius = size.draw(random);
  return Capsule{radius, size.draw(random)};
}
inline Shape makeRandom(Kind<Cylinder>, Random& random, SizeRange size) {
  const double radius = size.draw(random);
  return Cylinder{radius, size.draw(random)};
}
inline Shape makeRandom(Kind<Cone>, Random& random, SizeRange size) {
  const double radius = size.draw(random);
  return Cone{radius, size.draw(random)};
}
inline Shape makeRandom(Kind<Ellipsoid>, Random& random, SizeRange size) {
  return Ellipsoid{size.drawThree(random)};
}
inline Shape makeRandom(Kind<ConvexHull>, Random& random, SizeRange size) {
  // Points about a centre; flatter than round by up to a thousand.
  const double scale = size.draw(random);
  const double flat = std::pow(10.0, uniform(random, -3.0, 0.0));
  const Vector3d stretch(1.0, std::sqrt(flat), flat);
  std::vector<Vector3d> points(4 + random() % 20);
  while (true) {
    for (Vector3d& x : points) x = scale * stretch.cwiseProduct(randomDirection(random));
    try {
      return ConvexHull(points);
    } catch (const std::invalid_argument&) {  // too flat to be one: another draw
    }
  }
}
inline Shape makeRandom(Kind<HalfSpace>, Random&, SizeRange) { return HalfSpace{}; }
inline Shape makeRandom(Kind<TriangleMesh>, Random& random, SizeRange size) {
  // The triangles of a hull's faces, some of them left out.
  const Shape hull = makeRandom(Kind<ConvexHull>{}, random, size);
  const Polyhedron& polyhedron = std::get<ConvexHull>(hull).polyhedron();
  const bool open = random() % 2 == 0;
  while (true) {
    std::vector<int> triangles;
    for (int f = 0; f < static_cast<int>(polyhedron.faces().size()); ++f) {
      const auto loop = polyhedron.loop(f);
      for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
        if (open && random() % 4 == 0) continue;
        triangles.insert(triangles.end(), {loop[0], loop[k], loop[k + 1]});
      }
    }
    try {
      return TriangleMesh(polyhedron.vertices(), triangles);
    } catch (const std::invalid_argument&) {  // none left, or one without area
      return makeRandom(Kind<TriangleMesh>{}, random, size);
    }
  }
}
inline Shape makeRandom(Kind<HeightField>, Random& random, SizeRange size) {
  const auto nx = static_cast<int>(2 + random() % 5);
  const auto ny = static_cast<int>(2 + random() % 5);
  const double dx = size.draw(random);
  const double steepness = std::pow(10.0, uniform(random, -6.0, 1.0));
  std::vector<double> heights;
  for (int k = 0; k < nx * ny; ++k) heights.push_back(dx * steepness * uniform(random, -1.0, 1.0));
  return HeightField(nx, ny, dx, dx * uniform(random, 0.5, 2.0), heights);
}
inline Shape makeRandom(Kind<Bowl>, Random& random, SizeRange size) { return Bowl{size.draw(random)}; }

/// A shape of the alternative with this index in the variant.
inline Shape makeRandomShape(std::size_t index, Random& random, SizeRange size = {}) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    using Make = Shape (*)(Random&, SizeRange);
    constexpr std::array<Make, sizeof...(k)> table = {[](Random& r, SizeRange s) {
      return makeRandom(Kind<std::variant_alternative_t<k, Shape>>{}, r, s);
    }...};
    return table[index](random, size);
  }(std::make_index_sequence<std::variant_size_v<Shape>>());
}

/// One of all kinds.
inline Shape makeRandomShape(Random& random, SizeRange size = {}) {
  return makeRandomShape(random() % std::variant_size_v<Shape>, random, size);
}

}  // namespace cornet::test
