#pragma once

#include "cornet/body/mujoco/library.h"
#include "cornet/body/mujoco/mujoco_model.h"

namespace cornet {

/// The geoms of a model with its data at the reference pose. Meshes are the convex hulls of their vertices, planes half-spaces.
std::vector<ModelShape> readShapes(const mjModel& model, const mjData& data);

/// The name the model gives, or the kind and number: "geom 3".
std::string nameOf(const mjModel& model, int kind, int number);

}  // namespace cornet
