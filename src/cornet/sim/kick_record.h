#pragma once

#include <cstdint>
#include <functional>

#include "cornet/problem/contact_problem.h"
#include "cornet/problem/solution.h"

namespace cornet {

/// Which kicks are kept for an observer.
enum class KeptKicks : std::uint8_t { none, missed, all };

/// The problem of one island at its kick, and what was made of it: enough to solve and judge it again.
struct KickRecord {
  double time = 0.0;  // start of the step [s]
  int island = 0;     // of the step
  ContactProblem problem;
  VectorXd start;     // impulses the solver began with [N s]
  Solution solution;  // impulses the step went on with, and their certificate
};

using KickObserver = std::function<void(const KickRecord&)>;

}  // namespace cornet
