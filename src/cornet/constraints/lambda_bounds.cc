#include "cornet/constraints/lambda_bounds.h"

#include <stdexcept>

#include <fmt/format.h>

#include "cornet/math/types.h"

namespace cornet {

LambdaBounds LambdaBounds::bilateral() { return {-kInfinity, kInfinity}; }

LambdaBounds LambdaBounds::unilateral() { return {0.0, kInfinity}; }

LambdaBounds LambdaBounds::boxConstrained(double lo, double hi) {
  if (!(lo <= hi)) {
    throw std::invalid_argument(
        fmt::format("LambdaBounds [{}, {}]: expected lower ≤ upper", lo, hi));
  }
  return {lo, hi};
}

bool LambdaBounds::isBilateral() const { return lower == -kInfinity && upper == kInfinity; }

bool LambdaBounds::isUnilateral() const { return lower == 0.0 && upper == kInfinity; }

bool LambdaBounds::isBoxConstrained() const { return !isBilateral() && !isUnilateral(); }

}  // namespace cornet
