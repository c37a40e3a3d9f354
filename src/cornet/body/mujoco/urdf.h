#pragma once

#include "cornet/body/mujoco/library.h"
#include "cornet/body/mujoco/model_source.h"
#include "cornet/body/mujoco/mujoco_model.h"

/// What URDF says that the library does not take over, put into what it has parsed: files of packages, and sliding friction by the tags of
/// others,
///
///   <collision> <drake:proximity_properties> <drake:mu_static value="0.9"/>     of one shape; without it mu_dynamic
///   <gazebo reference="LINK"> <mu1>0.9</mu1>                                  of all shapes of a link that say nothing themselves
namespace cornet {

bool isUrdf(const ModelSource& source);

/// Throws ModelError with the place of a mesh or number that is wrong; adds what has no meaning here.
void adaptUrdf(const ModelSource& source, const std::vector<std::filesystem::path>& packages, mjSpec& spec, std::vector<NotUsed>& not_used);

}  // namespace cornet
