#pragma once

#include "cornet/collision/mesh/triangle_mesh.h"

namespace cornet {

/// Ground given by its heights on a grid: point (i, j) stands at x = (i - (nx-1)/2) dx,
/// y = (j - (ny-1)/2) dy, z = heights[j nx + i]. Each cell is two triangles, parted from (i, j) to
/// (i+1, j+1).
class HeightField {
 public:
  /// Throws std::invalid_argument unless there are at least 2 x 2 finite heights and both spacings are
  /// positive.
  HeightField(int nx, int ny, double dx, double dy, std::span<const double> heights);

  int nx() const { return nx_; }
  int ny() const { return ny_; }
  double dx() const { return dx_; }
  double dy() const { return dy_; }
  double height(int i, int j) const { return surface_.vertices()[j * nx_ + i].z(); }
  const TriangleMesh& surface() const { return surface_; }

 private:
  int nx_, ny_;
  double dx_, dy_;
  TriangleMesh surface_;
};

}  // namespace cornet
