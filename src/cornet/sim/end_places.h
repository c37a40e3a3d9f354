#pragma once

#include "cornet/sim/displacement.h"

/// Where bodies end whose joints are to be closed: the smallest motion, in the metric of the masses, that puts joints and limits
/// where they belong and leaves contacts as they are,
///
///   min ½‖d‖²_M   J d = -C of joints,   J d ≥ (1 - β) min(C⁻, 0) - C of limits,
///                 J_n d = 0 of contacts that carry,   J_n d ≥ min(0, -g) of the others,    C⁻ at the start of the step
///
/// linearised at the end pose again and again until joints and limits are met to rounding or come no nearer; angular momenta stay
/// as they are. One or two iterations, for the displacement has left C of third order only.                     (STEP-21)
namespace cornet {

class EndPlaces {
 public:
  /// β, the share of a passed limit that a step takes back.
  explicit EndPlaces(double recovery);

  /// Moves the bodies of an island, at the end of the step. M is that of the kick. Returns the largest way of a point of a
  /// body [m].
  double run(StepView& step, const Island& island, const BlockDiagonalMatrix& M);

 private:
  double collectRows(const StepView& step, const Island& island);
  void addConstraint(const StepView& step, StepConstraint& constraint, double& largest);
  void addContact(const StepView& step, const StepContact& contact, std::optional<double>& gap);
  bool solve(const BlockDiagonalMatrix& M);
  void moveBodies(StepView& step, const Island& island, double share) const;

  double recovery_;
  HeldRowList rows_, held_;
  std::vector<std::optional<double>> gaps_;  // of the island's contacts, before anything moved
  HeldRows held_rows_;
  PenetrationPass pass_;
  VectorXd move_, way_;
  std::vector<InertialState> before_;
};

}  // namespace cornet
