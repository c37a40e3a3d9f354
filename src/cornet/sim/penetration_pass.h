#pragma once

#include <span>
#include <vector>

#include "cornet/sim/held_factor.h"

/// The velocities nearest to w in which rows are at least what they aim at:
///
///   min ½‖w' - w‖²_M + ½ νᵀDν   with   G w' + Dν ≥ target,   D = ε diag(G M⁻¹Gᵀ)                  (STEP-11)
///
/// by a primal-dual active set: rows that push are held; those that pull are let go, those that are missed then
/// push (block pivoting, Júdice and Pires 1994). A few rounds, each with one factorization, find the rows; the structure of the factors is that of all rows.
namespace cornet {

class PenetrationPass {
 public:
  /// ε of the diagonal.
  explicit PenetrationPass(double proximal) : factor_(proximal) {}

  /// Returns whether the rows that push were found; w is as before if they were not. Says in `holds` which push.
  bool run(const BlockDiagonalMatrix& M, std::span<HeldRow> rows, VectorXd& w);

 private:
  void push(std::span<const HeldRow> rows, VectorXd& w);
  void findWrong(std::span<const HeldRow> rows, const VectorXd& w, double nothing);

  HeldFactor factor_;
  VectorXd before_, change_;
  std::vector<std::size_t> wrong_;
};

}  // namespace cornet
