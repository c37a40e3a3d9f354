#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cornet/math/block_diagonal.h"
#include "cornet/math/block_ldu.h"

/// Velocities of bodies with rows that are to hold, g_a·w_a + g_b·w_b = target:
///
///   w <- w + M⁻¹Gᵀν,   (G M⁻¹Gᵀ + ε diag) ν = target - G w,   several times                     (STEP-10)
///
/// Rows may contradict or repeat each other; the proximal term ε keeps them from amplifying anything. Solved in the
/// velocities, with M + Gᵀ(ε diag)⁻¹G.
namespace cornet {

using Vector6d = Eigen::Matrix<double, 6, 1>;

struct HeldRow {
  int block_a = -1, block_b = -1;  // of M; -1: nothing that moves
  Vector6d on_a = Vector6d::Zero(), on_b = Vector6d::Zero();
  double target = 0.0;
  double inverse_mass = 0.0;       // g M⁻¹g
};

class HeldRows {
 public:
  /// ε of the diagonal, and how often.
  HeldRows(double proximal, int refinements) : proximal_(proximal), refinements_(refinements) {}

  /// Changes w until the rows hold, residuals below `nothing` counting as none.
  void hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w);

 private:
  void factor(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows);

  double proximal_;
  int refinements_;
  std::unique_ptr<LduStructure> structure_;
  std::vector<std::pair<int, int>> couplings_, known_couplings_;
  std::vector<double> residual_;
  BlockLdu ldu_;
  VectorXd change_;
};

}  // namespace cornet
