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
  switch (measure) {
    case StepMeasure::closure: return closure;
    case StepMeasure::overlap: return overlap;
    case StepMeasure::motion: return motion;
    case StepMeasure::momentum: return momentum;
    case StepMeasure::energy: return energy;
  }
  return 0.0;
}

void StepCertificate::addPart(const StepCertificate& part) {
  for (const StepMeasure measure : kStepMeasures) (*this)[measure].add(part[measure]);
  energy.kinetic = part.energy.kinetic;
  energy.potential = part.energy.potential;
  energy.work_in += part.energy.work_in;
  energy.dissipated += part.energy.dissipated;
  energy.gained += part.energy.gained;
}

void StepCertificate::addOthers(const StepCertificate& others) {
  for (const StepMeasure measure : kStepMeasures) (*this)[measure].add(others[measure]);
  energy.kinetic += others.energy.kinetic;
  energy.potential += others.energy.potential;
  energy.work_in += others.energy.work_in;
  energy.dissipated += others.energy.dissipated;
  energy.gained += others.energy.gained;
}

bool StepCertificate::meets(const StepBounds& bounds) const {
  const auto keeps = [this](StepMeasure measure, double bound) { return (*this)[measure].value <= bound; };
  return keeps(StepMeasure::closure, bounds.closure) && keeps(StepMeasure::overlap, bounds.overlap) &&
         keeps(StepMeasure::motion, bounds.motion) && keeps(StepMeasure::momentum, bounds.momentum) &&
         keeps(StepMeasure::energy, bounds.energy);
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
