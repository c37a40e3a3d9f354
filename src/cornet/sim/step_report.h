#pragma once

#include <cstdint>
#include <vector>

#include "cornet/audit/step_certificate.h"
#include "cornet/problem/solution.h"

namespace cornet {

/// Seconds spent in each stage of a step.
struct StepTimes {
  double detect = 0.0;  // contacts and impacts
  double drift = 0.0;   // islands, and their way to the kick
  double assemble = 0.0;
  double solve = 0.0;
  double displace = 0.0;
  double certify = 0.0;  // outcomes and the certificate of the whole step
  double total = 0.0;
};

/// What a step did beyond motion under its laws: how often, in islands, and how much at most.
struct StepCorrections {
  int capped = 0;            // impacts that would have gained energy,
  double cap = 0.0;          //   share of their rebound that was taken away
  int lifted = 0;            // overlaps taken back,
  double lift = 0.0;         //   way of a point of a body [m]
  int projected = 0;         // poses put back onto joints,
  double projection = 0.0;   //   way of a point of a body [m]
  int retaken = 0;           // steps taken again because they gained energy,
  double retake = 0.0;       //   change of the velocity of a point at the start [m/s]

  int refined = 0;           // taken in parts because the certificate did not accept them at once,
  int parts = 0;             //   in so many

  void add(const StepCorrections& other);
};

/// How far a compliant step (integrator = icf) is from Coulomb's law and rigid bodies: no error of its solution, but what its model is.
/// Zero in rigid steps.
struct ModelDistance {
  double creep = 0.0;        // slip of contacts that stick [m/s]
  double overlap = 0.0;      // deepest at the end of the step [m]
  double joint_error = 0.0;  // of rows and limits at the end [m]
  double friction = 0.0;     // by which friction exceeds μ times the normal impulse [N s]

  /// The worse of each.
  void add(const ModelDistance& other);
};

/// What error control did for a step; all of it 0 of a step that was asked for by its size.
struct ControlReport {
  double dt = 0.0;           // [s] size of the step that stands
  double error = 0.0;        // [m] estimate of its error, in the norm (ERR-2)
  int rejections = 0;        // tries before it that do not stand,
  int early = 0;             //   of these because it had impacts at several times
  bool is_forced = false;    // it does not reach the accuracy, and a smaller one is not allowed
};

/// What a step did, and the proof of it.
struct StepReport {
  /// That of an island that is not solved; inaccurate when all are but the certificate of the whole step exceeds a bound.
  SolveStatus status = SolveStatus::solved;
  double relative = 0.0;            // certificate, the worst of all islands
  double velocity_error = 0.0;      // [m/s]
  double impulse_error = 0.0;       // [N s]
  int contacts = 0;                 // within the margins
  int closed = 0;                   // that carry
  int sticking = 0;                 // of those that carry
  int impacts = 0;
  int islands = 0;
  int sleeping_islands = 0;         // left as they were
  int unsolved_islands = 0;
  StepCertificate certificate;      // of the whole step
  StepCorrections corrections;
  ModelDistance distance;
  double penetration = 0.0;         // deepest at the start of the step [m]
  int iterations = 0;
  int factorizations = 0;
  ControlReport control;
  StepTimes times;
  std::uint64_t state_hash = 0;

  /// Adds effort, solves, corrections and contacts of another one.
  void takeOver(const StepReport& other);

  bool isAccurate() const { return status == SolveStatus::solved; }
  const EnergyReport& energy() const { return certificate.energy; }
};

}  // namespace cornet
