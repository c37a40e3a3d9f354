#pragma once

#include <string>

#include "cornet/body/mujoco/mujoco_model.h"

/// What `cornet info` says about a robot model.
namespace cornet::app {

std::string modelText(const std::string& file, const MujocoModel& model);
std::string modelJson(const std::string& file, const MujocoModel& model);

}  // namespace cornet::app
