#pragma once

#include "cornet/io/recording/recording.h"

namespace cornet {

/// Triangles of a shape for drawing, in its own frame, counterclockwise seen from where it is seen. A half-space is a
/// square of half side `reach` [m], a bowl the lower half of its hollow.
RecordedMesh makeDrawMesh(const RecordedShape& shape, const std::vector<RecordedMesh>& meshes, double reach);

}  // namespace cornet
