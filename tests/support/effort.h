#pragma once

#include <algorithm>

namespace cornet::test {

/// How many random samples a test takes: all of them in a plain build, a tenth under the sanitizers, which look for
/// faults of memory and not of mathematics.
constexpr int effort(int samples) {
#if defined(__SANITIZE_ADDRESS__)
  return std::max(1, samples / 10);
#else
  return samples;
#endif
}

}  // namespace cornet::test
