#include "cornet/solvers/icf/scalar_laws.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

void LimitLaw::check(int index) const {
  if (!std::isfinite(q0) || !std::isfinite(rate) || std::isnan(lower) || std::isnan(upper) || lower > upper || lower == kInfinity || upper == -kInfinity) {
    throw std::invalid_argument(
        fmt::format("limit {}: q0 {}, rate {}, lower {}, upper {}; give a finite q0 and rate and lower <= upper", index, q0, rate, lower, upper));
  }
}

ScalarTerms LimitLaw::at(double y) const {
  const double below = std::max((lower - q0) / rigid.horizon - (y - rate), 0.0);
  const double above = std::max((q0 - upper) / rigid.horizon + (y - rate), 0.0);
  const double R_inverse = rigid.stiffness;
  return {0.5 * R_inverse * (below * below + above * above), R_inverse * (below - above),
          R_inverse * ((below > 0.0 ? 1.0 : 0.0) + (above > 0.0 ? 1.0 : 0.0))};
}

ScalarSensitivity LimitLaw::sensitivity(double y) const {
  const ScalarTerms terms = at(y);
  const double ratio = rigid.stiffness > 0.0 ? rigid.slope / rigid.stiffness : 0.0;
  return {-terms.curvature / rigid.horizon, terms.impulse * ratio, 0.0};
}

void CouplerLaw::check(int index) const {
  if (std::isfinite(g0) && std::isfinite(rate)) return;
  throw std::invalid_argument(fmt::format("coupler {}: g0 {}, rate {}; give finite numbers", index, g0, rate));
}

ScalarTerms CouplerLaw::at(double y) const {
  const double difference = rate - g0 / rigid.horizon - y;
  return {0.5 * rigid.stiffness * difference * difference, rigid.stiffness * difference, rigid.stiffness};
}

ScalarSensitivity CouplerLaw::sensitivity(double y) const {
  return {-rigid.stiffness / rigid.horizon, rigid.slope * (rate - g0 / rigid.horizon - y), 0.0};
}

void GainLaw::check(int index) const {
  if (!std::isfinite(bias) || !std::isfinite(gain) || gain < 0.0 || std::isnan(effort) || effort < 0.0) {
    throw std::invalid_argument(
        fmt::format("gain {}: bias {}, gain {}, effort {}; give finite numbers, gain and effort at least 0", index, bias, gain, effort));
  }
}

ScalarTerms GainLaw::at(double y) const {
  const double wanted = bias - gain * y;
  if (wanted >= -effort && wanted <= effort) return {h * y * (0.5 * gain * y - bias), h * wanted, h * gain};
  const double limit = wanted > effort ? effort : -effort;
  const double passed = bias - limit;
  return {-h * limit * y - (gain > 0.0 ? h * passed * passed / (2.0 * gain) : 0.0), h * limit, 0.0};
}

ScalarSensitivity GainLaw::sensitivity(double y) const {
  const double wanted = bias - gain * y;
  return {0.0, 0.0, wanted >= -effort && wanted <= effort ? h : 0.0};
}

}  // namespace cornet
