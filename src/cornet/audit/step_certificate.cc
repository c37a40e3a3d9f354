#include "cornet/audit/step_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet {

std::string_view nameOf(StepMeasure measure) {
  constexpr std::array<std::string_view, kStepMeasureCount> kNames = {"closure", "new overlap", "unexplained motion",
                                                                      "momentum", "energy gain"};
  return kNames[static_cast<std::size_t>(measure)];
}

double StepBounds::of(StepMeasure measure) const {
  const std::array<double, kStepMeasureCount> bounds = {closure, overlap, motion, momentum, energy};
  return bounds[static_cast<std::size_t>(measure)];
}

void WorstOf::add(const WorstOf& candidate) {
  if (!std::isnan(value) && !(candidate.value <= value)) *this = candidate;
}

bool StepCertificate::meets(const StepBounds& bounds) const {
  return std::ranges::none_of(kStepMeasures, [&](StepMeasure measure) { return exceeds(bounds, measure); });
}

// A bound of zero is infinitely far exceeded by anything.
double StepCertificate::calcShare(const StepBounds& bounds, StepMeasure measure) const {
  const double value = (*this)[measure].value;
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return value == 0.0 ? 0.0 : value / bounds.of(measure);
}

StepMeasure StepCertificate::worstMeasure(const StepBounds& bounds) const {
  return *std::ranges::max_element(kStepMeasures, {}, [&](StepMeasure measure) { return calcShare(bounds, measure); });
}

}  // namespace cornet
