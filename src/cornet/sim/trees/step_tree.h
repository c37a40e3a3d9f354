#pragma once

#include <memory>

#include "cornet/body/tree.h"

namespace cornet {

/// An articulated tree through the step, from its start to wherever it has got to.
struct StepTree {
  const Tree* tree = nullptr;
  int first = -1;                    // number of its first link
  VectorXd q_start, v_start;
  VectorXd q, v;                     // now
  std::unique_ptr<TreeCache> cache;  // of q, but while somebody looks ahead
  VectorXd own_impulse;              // of its own forces, drives and dry friction, over its velocities
  VectorXd interval_impulse;         // the same of the last interval between impacts
  VectorXd activation_start, activation;  // of actuators, at the end of the step
  VectorXd actuator_impulse;         // what each actuator gave [N s] or [N m s]
  double own_work = 0.0;             // of them all, at the mean velocities of their intervals [J]
};

}  // namespace cornet
