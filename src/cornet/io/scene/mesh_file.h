#pragma once

#include <filesystem>
#include <vector>

#include "cornet/math/types.h"

/// Surfaces from files. All throw FileError when a file cannot be read, FormatError when it does not hold
/// what it should.
namespace cornet {

struct MeshData {
  std::vector<Vector3d> vertices;
  std::vector<int> triangles;  // three vertex indices each
};

/// OBJ (v and f; polygons become fans) or STL (text or binary; equal corners become one vertex), by the
/// ending of the name.
MeshData readMesh(const std::filesystem::path& file);

struct HeightData {
  int nx = 0, ny = 0;
  std::vector<double> heights;  // row by row
};

/// A line per row, numbers parted by commas or blanks; # begins a comment.
HeightData readHeights(const std::filesystem::path& file);

}  // namespace cornet
