#pragma once

#include <span>
#include <vector>

#include <Eigen/Cholesky>

#include "cornet/math/orthogonal_solver.h"
#include "cornet/sim/held_factor.h"

/// Velocities of bodies with rows that are to hold, Σ g_i·w_i = target:
///
///   w <- w + M⁻¹Gᵀν,   (G M⁻¹Gᵀ + ε diag) ν = target - G w,   several times                     (PLACE-2)
///
/// Solved in the velocities, with the factors of `HeldFactor`. Where masses span many decades a few times leave much of the residual: rows
/// of joints, which agree with each other, are then met at once, by an orthogonal decomposition of M^-½Gᵀ.
namespace cornet {

class HeldRows {
 public:
  /// ε of the diagonal: rows of loops repeat each other.
  static constexpr double kProximal = 1e-6;
  HeldRows() : factor_(kProximal), decomposition_(kRank) {}

  /// Forgets the last decomposition: what comes is not to depend on what was.
  void forget() { known_.clear(); }

  /// Changes w until the rows hold, residuals below `nothing` counting as none. `multipliers`, if asked for, are then ν.
  void hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w,
            std::vector<double>* multipliers = nullptr);

 private:
  static constexpr double kRank = 1e-11;  // of rows of length one: those that differ by less from others repeat them

  bool areMet(std::span<const HeldRow> rows, const VectorXd& w, double nothing, double before) const;
  void decompose(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows);
  bool isDecomposed(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) const;
  void meet(std::span<const HeldRow> rows, VectorXd& w, std::vector<double>* multipliers);

  HeldFactor factor_;
  std::vector<double> residual_;
  VectorXd change_, start_;
  // Of the last rows that needed a decomposition.
  using Matrix6d = Eigen::Matrix<double, 6, 6>;
  HeldRowList known_;
  BlockDiagonalMatrix known_M_;
  std::vector<Eigen::LLT<Matrix6d>> factors_;
  MatrixXd At_;
  VectorXd scale_;
  OrthogonalSolver decomposition_;
  VectorXd missing_, y_, nu_;
};

}  // namespace cornet
