#pragma once

#include <string>
#include <vector>

#include "cornet/sim/options.h"

namespace cornet {

/// The words of an option with a fixed choice, in the order of its values.
inline std::vector<std::string> wordsOf(FrictionModel) { return {"coulomb", "convex"}; }
inline std::vector<std::string> wordsOf(IntegratorKind) {
  return {"drift_kick_drift", "semi_implicit_euler"};
}
inline std::vector<std::string> wordsOf(SolverKind) {
  return {"exact", "gauss_seidel", "active_set", "ecos"};
}
inline std::vector<std::string> wordsOf(StepFriction) {
  return {"coulomb", "convex", "pyramid", "box", "scaled_box", "polygon"};
}

}  // namespace cornet
