#pragma once

#include <span>
#include <vector>

#include "cornet/sim/held_factor.h"

/// The velocities nearest to w in which rows are at least what they aim at, or, those that are not one-sided, just that:
///
///   min ½‖w' - w‖²_M + ½ νᵀDν   with   G w' + Dν ≥ target,   D = ε diag(G M⁻¹Gᵀ)                  (PLACE-6)
///
/// The same without ν is a sum of parabolas, each of which ends where its row is met,
///
///   F(w') = ½‖w' - w‖²_M + ½ Σ max(0, target - G w')² / D_ii,   others with their whole parabola,
///
/// and Newton's method with the exact minimum along each of its steps finds the lowest point in finitely many of
/// them: one factorization each; the structure of the factors is that of all rows.
namespace cornet {

class PenetrationPass {
 public:
  /// ε of the diagonal.
  explicit PenetrationPass(double proximal) : factor_(proximal) {}

  /// Says in `holds` which rows push. Returns whether w is the lowest point; otherwise it is on the way there.
  bool run(const BlockDiagonalMatrix& M, std::span<HeldRow> rows, VectorXd& w);

 private:
  void push(std::span<const HeldRow> rows, VectorXd& w);
  bool areRight(std::span<const HeldRow> rows, const VectorXd& w, double nothing) const;
  double calcLength(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, const VectorXd& w);

  HeldFactor factor_;
  VectorXd before_, change_, full_, momentum_;
  std::vector<double> miss_, gain_;  // of the rows, at the begin of a step and over it
};

}  // namespace cornet
