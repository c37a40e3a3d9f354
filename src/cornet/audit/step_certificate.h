#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

/// What is proved about a whole step, beside the laws of its contacts. Every measure is relative, so that one set of bounds
/// serves all scales; docs/math/step_certificate.md has the reasons of the bounds.
namespace cornet {

enum class StepMeasure : std::uint8_t {
  closure,   // error of joints and limits at the end, in sizes of the body; of turns in radians
  overlap,   // overlap at the end beyond that at the start, in sizes of the smaller body
  motion,    // way of a body that its velocities do not explain, in sizes
  momentum,  // of a body, that forces and reported impulses do not explain
  energy,    // gain beyond the work that was done, of the energies at stake
};
inline constexpr int kStepMeasureCount = 5;

/// "closure", "new overlap", "unexplained motion", "momentum", "energy gain".
std::string_view nameOf(StepMeasure measure);

/// What a measure may be; a step beyond is inaccurate.
struct StepBounds {
  double closure = 1e-8;
  double overlap = 1e-3;
  double motion = 1e-3;
  double momentum = 1e-10;
  double energy = 1e-6;

  double of(StepMeasure measure) const;
};

/// The worst value of a measure and where it is: numbers of the world, -1 where it names none.
struct WorstOf {
  double value = 0.0;
  int body = -1;   // that moves
  int other = -1;  // of a pair
  int joint = -1;

  /// Keeps the larger of the two; what is not a number is the largest.
  void add(const WorstOf& candidate) {
    if (!(candidate.value <= value) && !std::isnan(value)) *this = candidate;
  }
};

/// Mechanical energy and where it went.
struct EnergyReport {
  double kinetic = 0.0;     // at the end of the step [J]
  double potential = 0.0;   // of gravity
  double work_in = 0.0;     // of loads, motors and surroundings, during the step
  double dissipated = 0.0;  // by contacts, constraints and drag, during the step
  double gained = 0.0;      // sum over groups of bodies that gained beyond rounding, during the step
};

struct StepCertificate {
  std::array<WorstOf, kStepMeasureCount> worst;
  EnergyReport energy;

  WorstOf& operator[](StepMeasure measure) { return worst[static_cast<std::size_t>(measure)]; }
  const WorstOf& operator[](StepMeasure measure) const { return worst[static_cast<std::size_t>(measure)]; }
  bool exceeds(const StepBounds& bounds, StepMeasure measure) const { return !((*this)[measure].value <= bounds.of(measure)); }
  bool meets(const StepBounds& bounds) const;
  /// A part of the same step that comes after it: the worse measure counts; with the energy after it. What all parts gain
  /// together `StepCertifier` says.
  void addPart(const StepCertificate& part);
  /// Other bodies in the same step.
  void addOthers(const StepCertificate& others);
  /// The largest measure in units of its bound; infinite for what is not a number.
  double calcWorstShare(const StepBounds& bounds) const { return calcShare(bounds, worstMeasure(bounds)); }
  /// The measure that is furthest beyond its bound, or nearest to it.
  StepMeasure worstMeasure(const StepBounds& bounds) const;

 private:
  double calcShare(const StepBounds& bounds, StepMeasure measure) const;
};

/// All of them, in order.
inline constexpr std::array kStepMeasures = {StepMeasure::closure, StepMeasure::overlap, StepMeasure::motion,
                                             StepMeasure::momentum, StepMeasure::energy};

}  // namespace cornet
