#pragma once

#include "siconos_problem.h"

namespace cornet::siconos {

/// How a run ended.
enum class Outcome {
  solved,       ///< the field's measure, computed by us, meets the tolerance
  failed,       ///< it ended above the tolerance, whatever it said itself
  timeout,      ///< the time limit ended it
  crashed,      ///< it ended its process
  skipped,      ///< the configuration does not take problems of this size
  unsupported,  ///< the problem has laws that Siconos has not
};

const char* toString(Outcome outcome);

struct Limits {
  double tolerance = 1e-8;
  double max_seconds = 10.0;  // of one solve
  int repeat = 3;             // at least
};

/// What is known of a run. Errors are those of the certificate, computed from the impulses on our
/// own copy of the problem; infinite when there are none.
struct Report {
  Outcome outcome = Outcome::crashed;
  double seconds = 0.0;  // the shortest
  int repetitions = 0;
  int iterations = 0;
  double certificate = 0.0;
  double field = 0.0;
};

/// Runs one configuration from zero impulses in a process of its own, so that a crash, a leak or an
/// endless loop stays there. Timed is Siconos' driver alone: reading, condensing, equilibrating and
/// converting to its storage are not.
Report runConfiguration(const Configuration& configuration, const ProblemFile& file,
                        const PeerProblem& problem, const Limits& limits);

}  // namespace cornet::siconos
