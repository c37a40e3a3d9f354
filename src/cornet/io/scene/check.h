#pragma once

#include <limits>
#include <optional>
#include <string>

#include "cornet/io/scene/expression.h"

/// What a scene claims about its probes.
namespace cornet {

/// Which number of a run is compared.
enum class Statistic {
  final,        // the last value
  max, min, mean,
  every,        // each value, the worst counts
  mean_square,  // mean of (value - expected)²
};

struct Check {
  std::string name;
  int probe = -1;
  Statistic statistic = Statistic::final;
  double from = 0.0;                                          // [s]
  double until = std::numeric_limits<double>::infinity();     // [s]
  // Either a value with a tolerance, or bounds.
  std::optional<Expression> expected;  // of the parameters and t, the time
  double tolerance = 0.0;              // absolute
  double relative_tolerance = 0.0;     // of |expected|
  int order = 0;                       // both hold at the scene's own step and go with this power of it
  std::optional<double> at_most, at_least;
};

}  // namespace cornet
