#pragma once

#include <vector>

#include "cornet/math/block_cholesky.h"
#include "cornet/math/coulomb_contact.h"
#include "cornet/problem/contact_problem.h"
#include "cornet/problem/delassus_problem.h"

/// The parts of a Gauss-Seidel sweep: the two ways to reach u_i, and the local solutions.
namespace cornet::gauss_seidel {

/// u = W λ + q + R λ: a row of W is read at each visit.
class DelassusRows {
 public:
  explicit DelassusRows(const DelassusProblem& problem);
  MatrixXd diagonalBlock(int i) const;
  /// Writes u_i for the impulses as they are.
  void calcVelocity(int i, const VectorXd& lambda, double* u) const;
  void apply(int /*i*/, const double* /*change*/) {}
  void reset(const VectorXd& /*v*/) {}

 private:
  const DelassusProblem& problem_;
  bool cones_only_;  // every block is 3x3
};

/// u = J v + b + R λ: v is kept in step with λ through Y = M⁻¹Jᵀ.                            (GS-2)
class VelocityRows {
 public:
  explicit VelocityRows(const ContactProblem& problem);
  MatrixXd diagonalBlock(int i) const;
  void calcVelocity(int i, const VectorXd& lambda, double* u) const;
  void apply(int i, const double* change);
  /// Takes velocities recomputed from λ, dropping accumulated rounding.
  void reset(const VectorXd& v) { v_ = v; }

 private:
  const ContactProblem& problem_;
  std::vector<double> Y_;               // blocks of Jᵀ after the mass solve, in the order of J
  std::vector<Eigen::Index> Y_start_;
  VectorXd v_;
};

/// Exact solutions of single blocks.
class LocalSolver {
 public:
  template <class Rows>
  LocalSolver(const Rows& rows, const ConstraintRows& laws, FrictionModel model)
      : laws_(laws), model_(model) {
    for (int i = 0; i < laws.blockCount(); ++i) addBlock(i, rows.diagonalBlock(i));
  }

  /// Given u_i at the current impulse, writes the impulse that obeys the law of block i.
  void solve(int i, const double* u, double* impulse) const {
    if (laws_.kind[i] == LawKind::cone) {
      solveCone(i, u, impulse);
    } else if (laws_.kind[i] == LawKind::equality) {
      solveEquality(i, u, impulse);
    } else {
      solveBounded(i, u, impulse);
    }
  }

 private:
  void addBlock(int i, const MatrixXd& A);
  void solveCone(int i, const double* u, double* impulse) const;
  void solveEquality(int i, const double* u, double* impulse) const;
  void solveBounded(int i, const double* u, double* impulse) const;

  struct Cone {
    Matrix3d A;
    CoulombContact contact;
    double mu;
  };
  const ConstraintRows& laws_;
  FrictionModel model_;
  std::vector<int> slot_;        // block -> its cone, or its matrix
  std::vector<Cone> cones_;
  std::vector<MatrixXd> dense_;  // pseudo-inverse for equality, A_ii for bounded blocks
};

}  // namespace cornet::gauss_seidel
