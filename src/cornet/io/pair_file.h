#pragma once

#include <filesystem>

#include "cornet/collision/manifold.h"
#include "cornet/collision/shape.h"
#include "cornet/io/toml/findings.h"

/// Two shapes and where they stand, in a TOML file (docs/formats/collide.md).
namespace cornet {

struct ShapePair {
  Shape a, b;
  Pose X_WA, X_WB;
  ManifoldOptions options;
};

/// Throws FileError when the file cannot be read, FindingsError with everything that is wrong in it.
ShapePair readShapePair(const std::filesystem::path& file);
ShapePair readShapePair(SourceText source);

}  // namespace cornet
