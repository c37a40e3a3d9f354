#pragma once

#include "cornet/sim/displacement.h"

/// The last part of a step with joints: poses onto C = 0,
///
///   dq = -M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹C(q),   until C is at rounding; angular momenta stay as they are          (STEP-21)
///
/// one or two iterations, for the displacement has left C of third order only.
namespace cornet {

class Projection {
 public:
  Projection();

  /// Moves the bodies of an island, at the end of the step, onto its equality constraints. M is that of the kick.
  void run(StepView& step, const Island& island, const BlockDiagonalMatrix& M);

 private:
  bool collectRows(const StepView& step, const Island& island);

  std::vector<HeldRow> rows_;
  HeldRows held_rows_;
  VectorXd move_;
};

}  // namespace cornet
