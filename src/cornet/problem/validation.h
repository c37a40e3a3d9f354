#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "cornet/math/types.h"

/// Checks shared by the two forms of the problem; private to this module.
namespace cornet {

inline void requireSize(std::string_view what, Eigen::Index found, Eigen::Index expected) {
  if (found != expected) {
    throw std::invalid_argument(
        fmt::format("{} has {} entries where {} were expected", what, found, expected));
  }
}

inline void requireFinite(std::string_view what, std::span<const double> values) {
  const auto bad = std::ranges::find_if(values, [](double x) { return !std::isfinite(x); });
  if (bad != values.end()) {
    throw std::invalid_argument(
        fmt::format("{}[{}] is {}: not a finite number", what, bad - values.begin(), *bad));
  }
}

inline void requireFinite(std::string_view what, const VectorXd& x) { requireFinite(what, asSpan(x)); }

inline void requireStep(double dt) {
  if (!(dt >= 0.0 && std::isfinite(dt))) {
    throw std::invalid_argument(fmt::format("dt is {}: not a finite number ≥ 0", dt));
  }
}

inline bool sameBits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

inline bool sameBits(const VectorXd& a, const VectorXd& b) { return sameBits(asSpan(a), asSpan(b)); }

}  // namespace cornet
