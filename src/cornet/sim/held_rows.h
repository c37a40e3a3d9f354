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
/// Solved in the velocities, with the factors of `HeldFactor`. Where masses span many decades a few times leave much of the residual, and
/// where contacts ask for what joints hardly allow they throw bodies. Joints, which agree with each other, are then met at once, by an
/// orthogonal decomposition of M^-½Gᵀ, and contacts by what they leave:
///
///   y_j = A_j⁺ b_j,   y = y_j + (A_c P)⁺ (b_c - A_c y_j),   A = S G M^-½ with rows of length one,  P = 1 - A_j⁺A_j      (PLACE-7)
///
/// with pivots of A_c P below a rank taken for zero: what joints do not let a contact do is not done.
namespace cornet {

class HeldRows {
 public:
  /// ε of the diagonal: rows of loops repeat each other.
  static constexpr double kProximal = 1e-6;
  static constexpr std::size_t kMostRows = 400;  // of an orthogonal decomposition, which takes the cube of it
  HeldRows() : factor_(kProximal), joints_(kRank), contacts_(kRank) {}

  /// Forgets the last decomposition: what comes is not to depend on what was.
  void forget() { known_.clear(); }

  /// Changes w until the rows hold, residuals below `nothing` counting as none. `multipliers`, if asked for, are then ν.
  void hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w,
            std::vector<double>* multipliers = nullptr);
  /// The same by an orthogonal decomposition: dense, and right whatever the masses.
  void holdExactly(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, VectorXd& w, std::vector<double>& multipliers);
  /// The same with rows of joints first, those of contacts as far as that leaves them room.                     (PLACE-7)
  void holdJointsFirst(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double rank, VectorXd& w);

 private:
  static constexpr double kRank = 1e-11;  // of rows of length one: those that differ by less from others repeat them

  bool areMet(std::span<const HeldRow> rows, const VectorXd& w, double nothing, double before) const;
  void decompose(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double rank);
  void decomposeContacts(double rank);
  bool isDecomposed(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows) const;
  void meet(std::span<const HeldRow> rows, VectorXd& w, std::vector<double>* multipliers);

  HeldFactor factor_;
  std::vector<double> residual_;
  VectorXd change_, start_;
  // Of the last rows that needed a decomposition.
  using Matrix6d = Eigen::Matrix<double, 6, 6>;
  HeldRowList known_;
  BlockDiagonalMatrix known_M_;
  double known_rank_ = 0.0;
  std::vector<Eigen::LLT<Matrix6d>> factors_;
  std::vector<std::size_t> joint_rows_, contact_rows_;
  MatrixXd At_joints_, At_contacts_, left_;
  VectorXd scale_;
  OrthogonalSolver joints_, contacts_;
  Eigen::Index room_ = 0;  // columns for rows of contacts
  VectorXd missing_, missing_contacts_, column_, y_, y_contacts_, nu_;
};

}  // namespace cornet
