#include "cornet/solvers/exact/kkt_system.h"

namespace cornet::exact {

void BlockWeights::reset(const ScaledRows& rows) {
  start_.resize(static_cast<std::size_t>(rows.blockCount()));
  int start = 0;
  for (int i = 0; i < rows.blockCount(); ++i) {
    start_[i] = start;
    start += rows.size(i) * rows.size(i);
  }
  values_.resize(static_cast<std::size_t>(start));
}

}  // namespace cornet::exact
