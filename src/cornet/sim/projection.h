#pragma once

#include "cornet/sim/displacement.h"

/// The last part of a step with joints: poses onto C = 0,
///
///   dq = -M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹C(q),   until C is at rounding; angular momenta stay as they are          (STEP-21)
///
/// one or two iterations, for the displacement has left C of third order only. Limits count where they are passed; one that
/// was passed at the start of the step may be so by 1 - β of that at its end.
namespace cornet {

class Projection {
 public:
  /// β, the share of a passed limit that a step takes back.
  explicit Projection(double recovery);

  /// Moves the bodies of an island, at the end of the step, onto its constraints. M is that of the kick. Returns the largest
  /// way of a point of a body [m].
  double run(StepView& step, const Island& island, const BlockDiagonalMatrix& M);

 private:
  double collectRows(const StepView& step, const Island& island);
  void moveBodies(StepView& step, const Island& island, double share) const;

  double recovery_;
  std::vector<HeldRow> rows_;
  HeldRows held_rows_;
  VectorXd move_, way_;
  std::vector<InertialState> before_, states_;
};

}  // namespace cornet
