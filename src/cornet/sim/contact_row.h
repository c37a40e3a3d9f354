#pragma once

#include <utility>

#include "cornet/sim/held_factor.h"
#include "cornet/sim/island.h"

namespace cornet {

/// Adds one direction of a contact as a row that is held, with these arms from A and B. `motion` gives the velocity and turning of
/// surroundings: what they do is in the target.
template <class Motion>
void addHeldRow(const StepView& step, const StepContact& contact, const std::pair<Vector3d, Vector3d>& arms,
                const Vector3d& direction, double target, Motion motion, HeldRowList& rows) {
  HeldRow& row = rows.add().reset(target);
  for (const bool on_b : {false, true}) {
    const StepBody& body = step.bodies[on_b ? contact.b : contact.a];
    const Vector3d& arm = on_b ? arms.second : arms.first;
    Vector6d g;
    g << direction, arm.cross(direction);
    if (!on_b) g = -g;
    if (body.moves()) {
      row.add(body.block, g);
    } else {
      const auto [linear, angular] = motion(body);
      row.target -= g.head<3>().dot(linear) + g.tail<3>().dot(angular);
    }
  }
}

}  // namespace cornet
