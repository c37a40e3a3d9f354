#include "cornet/collision/mesh/height_field.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

TriangleMesh makeSurface(int nx, int ny, double dx, double dy, std::span<const double> heights) {
  if (nx < 2 || ny < 2) {
    throw std::invalid_argument(
        fmt::format("height field: {} x {} points: expected at least 2 x 2", nx, ny));
  }
  if (heights.size() != static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny)) {
    throw std::invalid_argument(fmt::format("height field: {} heights for {} x {} points",
                                            heights.size(), nx, ny));
  }
  if (!(dx > 0.0 && dy > 0.0 && std::isfinite(dx) && std::isfinite(dy))) {
    throw std::invalid_argument(fmt::format(
        "height field: spacing = ({}, {}) m: expected finite numbers > 0", dx, dy));
  }
  std::vector<Vector3d> vertices;
  vertices.reserve(heights.size());
  std::vector<int> triangles;
  triangles.reserve(6 * heights.size());
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const int corner = j * nx + i;
      vertices.emplace_back((i - 0.5 * (nx - 1)) * dx, (j - 0.5 * (ny - 1)) * dy, heights[corner]);
      if (i + 1 == nx || j + 1 == ny) continue;
      for (const int v : {corner, corner + 1, corner + nx + 1, corner, corner + nx + 1, corner + nx}) {
        triangles.push_back(v);
      }
    }
  }
  return {std::move(vertices), std::move(triangles), "height field"};
}

}  // namespace

HeightField::HeightField(int nx, int ny, double dx, double dy, std::span<const double> heights)
    : nx_(nx), ny_(ny), dx_(dx), dy_(dy), surface_(makeSurface(nx, ny, dx, dy, heights)) {}

}  // namespace cornet
