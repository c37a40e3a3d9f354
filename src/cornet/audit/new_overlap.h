#pragma once

#include "cornet/audit/step_certificate.h"
#include "cornet/collision/contact_set.h"
#include "cornet/world/world_model.h"

/// Overlap that a step made: of every pair of shapes, with g its smallest gap, over the size of the smaller body that moves,
///
///   max(0, -g⁺) - max(0, -g⁻)                                                                      (AUDIT-2)
namespace cornet {

/// Adds the worst pair. Both sets are in the order of their shapes.
void judgeNewOverlap(const WorldModel& world, const ContactSet& before, const ContactSet& after, WorstOf& worst);

}  // namespace cornet
