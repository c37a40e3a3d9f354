#pragma once

#include <atomic>
#include <vector>

#include "cornet/base/status.h"
#include "cornet/math/growing_cholesky.h"
#include "cornet/problem/delassus_problem.h"

namespace cornet::active_set {

/// The rows with bounds in units that give A a unit diagonal, and the walk of (ACT-2), (ACT-3).
class WorkingSet {
 public:
  /// Begins at `start` as far as the bounds allow; rows between their bounds are in the set.
  WorkingSet(const DelassusProblem& problem, const VectorXd& start);

  /// New bounds for the same matrix; goes on from the current impulses.
  void setBounds(const ConstraintRows& rows);

  SolveStatus run(int max_iterations, const std::atomic<bool>* interrupt, int& iterations);
  VectorXd impulses() const { return lambda_.cwiseProduct(scale_); }

 private:
  bool between(int j) const { return lower_[j] < lambda_[j] && lambda_[j] < upper_[j]; }
  double violation(int j) const;
  int chooseEntering(bool smallest_index) const;
  bool prepareColumn(int j);
  double stepToBound(int j, double d_j, int& blocking) const;
  void leave(int place);
  void takeStart();
  SolveStatus enter(int j, bool& degenerate, int& iterations);
  void refine();

  MatrixXd A_;
  VectorXd scale_, q_, lower_, upper_, lambda_, u_;
  double noise_ = 0.0;
  std::vector<int> free_;           // F, in the order of the factor
  std::vector<char> is_free_;
  GrowingCholesky factor_;
  VectorXd column_, w_, d_;         // A_Fj, L⁻¹A_Fj, A_FF⁻¹A_Fj
  double pivot_ = 0.0;              // s
};

}  // namespace cornet::active_set
