#include "cornet/solvers/warm_start.h"

#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

void takeWarmStart(int rows, VectorXd& lambda) {
  if (lambda.size() == 0) lambda.setZero(rows);
  if (lambda.size() != rows) {
    throw std::invalid_argument(fmt::format(
        "the warm start has {} impulses, the problem {} rows; leave it empty to start from zero",
        lambda.size(), rows));
  }
  if (!lambda.allFinite()) throw std::invalid_argument("the warm start has entries not finite");
}

}  // namespace cornet
