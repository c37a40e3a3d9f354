#pragma once

#include <span>
#include <vector>

#include "cornet/collision/detector.h"
#include "cornet/sim/options.h"
#include "cornet/sim/step_data.h"

namespace cornet {

/// What those look at who find the contacts of a step, and where they put them.
struct Search {
  const WorldModel& world;
  Detector& detector;
  const SimulatorOptions& options;
  double h;
  const ContactSet& found;
  const std::vector<StepBody>& bodies;
  std::vector<StepContact>& contacts;
  std::span<const ContactMemory> remembered;  // of the last step, by key
  bool ends_at_impacts = false;  // what closes does so at the end: nothing holds it before
};

/// The contacts [begin, end) that detection found between two shapes.
struct ShapePair {
  int begin = 0, end = 0;
  int body_a = -1, body_b = -1;
  int shape_a = -1, shape_b = -1;
  double least = 0.0;  // gap [m]
};

/// Groups contacts by shapes.
void findPairs(const ContactSet& found, std::vector<ShapePair>& pairs);

}  // namespace cornet
