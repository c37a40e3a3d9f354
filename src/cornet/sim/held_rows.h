#pragma once

#include <span>
#include <vector>

#include "cornet/sim/held_factor.h"

/// Velocities of bodies with rows that are to hold, Σ g_i·w_i = target:
///
///   w <- w + M⁻¹Gᵀν,   (G M⁻¹Gᵀ + ε diag) ν = target - G w,   several times                     (STEP-10)
///
/// Solved in the velocities, with the factors of `HeldFactor`.
namespace cornet {

class HeldRows {
 public:
  /// ε of the diagonal, and how often.
  HeldRows(double proximal, int refinements) : factor_(proximal), refinements_(refinements) {}

  /// Changes w until the rows hold, residuals below `nothing` counting as none. `multipliers`, if asked for, are then ν.
  void hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w,
            std::vector<double>* multipliers = nullptr);

 private:
  HeldFactor factor_;
  int refinements_;
  std::vector<double> residual_;
  VectorXd change_;
};

}  // namespace cornet
