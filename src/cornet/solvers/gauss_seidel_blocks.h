#pragma once

#include <span>
#include <vector>

#include "cornet/math/block_cholesky.h"
#include "cornet/math/coulomb_contact.h"
#include "cornet/problem/certificate.h"
#include "cornet/problem/contact_problem.h"
#include "cornet/problem/delassus_problem.h"

/// The parts of a Gauss-Seidel sweep: the two ways to reach u_i, the local solutions, and the sweep
/// itself. All of them keep their memory from one problem to the next.
namespace cornet::gauss_seidel {

/// A matrix as large as a block of rows, without memory of its own.
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                  ConstraintRows::kMaxBlockRows, ConstraintRows::kMaxBlockRows>;

/// u = W λ + q + R λ: a row of W is read at each visit.
class DelassusRows {
 public:
  void reset(const DelassusProblem& problem);
  SmallMatrix diagonalBlock(int i) const;
  /// Writes u_i for the impulses as they are.
  void calcVelocity(int i, const VectorXd& lambda, double* u) const;
  void apply(int /*i*/, const double* /*change*/) {}
  void setVelocity(const VectorXd& /*v*/) {}
  VectorXd& velocity() { return no_velocity_; }

 private:
  const DelassusProblem* problem_ = nullptr;
  VectorXd no_velocity_;
  bool cones_only_ = false;  // every block is 3x3
};

/// u = J v + b + R λ: v is kept in step with λ through Y = M⁻¹Jᵀ.                            (GS-2)
class VelocityRows {
 public:
  void reset(const ContactProblem& problem);
  SmallMatrix diagonalBlock(int i) const;
  void calcVelocity(int i, const VectorXd& lambda, double* u) const;
  void apply(int i, const double* change);
  /// Takes velocities recomputed from λ, dropping accumulated rounding.
  void setVelocity(const VectorXd& v) { v_ = v; }
  VectorXd& velocity() { return v_; }

 private:
  const ContactProblem* problem_ = nullptr;
  BlockCholesky mass_;
  std::vector<double> Y_;               // blocks of Jᵀ after the mass solve, in the order of J
  std::vector<Eigen::Index> Y_start_;
  VectorXd v_;
};

/// Exact solutions of single blocks.
class LocalSolver {
 public:
  template <class Rows>
  void reset(const Rows& rows, const ConstraintRows& laws, FrictionModel model) {
    clear(laws, model);
    for (int i = 0; i < laws.blockCount(); ++i) addBlock(i, rows.diagonalBlock(i));
  }

  /// From here on blocks are solved with `share` of their mean diagonal on top of it: impulses change by less, but
  /// towards the same solutions.
  void damp(double share);

  /// Given u_i at the current impulse, writes the impulse that obeys the law of block i.
  void solve(int i, const double* u, double* impulse) const {
    if (laws_->kind[i] == LawKind::cone) {
      solveCone(i, u, impulse);
    } else if (laws_->kind[i] == LawKind::equality) {
      solveEquality(i, u, impulse);
    } else {
      solveBounded(i, u, impulse);
    }
  }

 private:
  void clear(const ConstraintRows& laws, FrictionModel model);
  void addBlock(int i, const SmallMatrix& A);
  void solveCone(int i, const double* u, double* impulse) const;
  void solveEquality(int i, const double* u, double* impulse) const;
  void solveBounded(int i, const double* u, double* impulse) const;

  struct Cone {
    Matrix3d A;
    CoulombContact contact;  // of A with `added` on its diagonal
    double mu;
    double added = 0.0;
  };
  struct Dense {
    SmallMatrix A;
    SmallMatrix inverse;  // pseudo-inverse of A with `added` on its diagonal; for equality
    double added = 0.0;
  };
  const ConstraintRows* laws_ = nullptr;
  FrictionModel model_ = FrictionModel::coulomb;
  std::vector<int> slot_;        // block -> its cone, or its matrix
  std::vector<Cone> cones_;
  std::vector<Dense> dense_;
};

/// What a change of one newton second in block i means for its relative error, as certified last.
void calcSweepWeights(const Certifier& certifier, const Certificate& certificate,
                      std::vector<double>& weight);

/// Sweeps over all blocks of a problem (GS-1), Rows being DelassusRows or VelocityRows.
template <class Rows>
class Sweeper {
 public:
  template <class Problem>
  void reset(const Problem& problem, FrictionModel model) {
    laws_ = &problem.rows;
    rows_.reset(problem);
    local_.reset(rows_, problem.rows, model);
    last_lambda_.resize(problem.rows.rowCount());
    last_v_.resize(rows_.velocity().size());
    has_momentum_ = false;
  }

  /// The velocities that belong to the impulses of the next sweep; ignored by a Delassus problem.
  void setVelocity(const VectorXd& v) {
    if (has_momentum_) last_v_ += v - rows_.velocity();  // momentum keeps the change between the two
    rows_.setVelocity(v);
  }

  /// One sweep. Returns the largest change of a block, times its weight; 0 without weights, infinity when impulses
  /// are not finite any more. Damped after sweeps with momentum, until the restart.
  double sweep(std::span<const double> weight, VectorXd& lambda);

  /// One damped sweep from impulses that keep most of the last change; what it leaves in `lambda` lies in the
  /// laws' sets as after any sweep. `lambda` is that of the sweep before.                            (GS-3)
  double sweepWithMomentum(std::span<const double> weight, VectorXd& lambda);

  /// Takes the momentum away that sweeps have gathered.
  void stop(const VectorXd& lambda);
  /// Forgets momentum; the next sweeps are not damped.
  void restart();

 private:
  const ConstraintRows* laws_ = nullptr;
  Rows rows_;
  LocalSolver local_;
  VectorXd last_lambda_, last_v_;  // after the sweep before the last
  bool has_momentum_ = false;
};

}  // namespace cornet::gauss_seidel
