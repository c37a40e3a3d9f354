#pragma once

#include "cornet/body/mujoco/mujoco_tree.h"

namespace cornet {

/// Everything a model says that its trees, shapes and pairs leave out.
std::vector<NotUsed> listNotUsed(const CompiledModel& compiled, const std::vector<ModelShape>& shapes);

/// Why an actuator is left out: "activation dynamics"; nullptr when it is not.
const char* reasonNotUsed(const mjModel& model, int actuator);

}  // namespace cornet
