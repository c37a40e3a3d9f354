#pragma once

#include <algorithm>
#include <limits>

#include "cornet/base/stopwatch.h"

namespace cornet::app {

/// How often a solve is repeated; its shortest time counts, because everything that disturbs a
/// measurement makes it longer. One rule for our solvers and for those of a peer: at least
/// `at_least` times and until a tenth of a second has passed, but no repetition begins after two
/// seconds, so a slow solve runs once.
class Repetition {
 public:
  explicit Repetition(int at_least) : at_least_(at_least) {}

  void add(double seconds) {
    shortest_ = std::min(shortest_, seconds);
    ++count_;
  }
  bool enough() const {
    const double spent = watch_.seconds();
    if (count_ == 0) return false;
    return count_ == kMost || spent > kTooLong || (count_ >= at_least_ && spent > kLongEnough);
  }
  double shortest() const { return shortest_; }
  int count() const { return count_; }

 private:
  static constexpr double kLongEnough = 0.1;  // [s] outlasts the hiccups of a machine at work
  static constexpr double kTooLong = 2.0;     // [s] relative noise is small by then
  static constexpr int kMost = 2000;          // more changes nothing for solves of microseconds

  int at_least_;
  int count_ = 0;
  double shortest_ = std::numeric_limits<double>::infinity();
  Stopwatch watch_;
};

}  // namespace cornet::app
