#include "cornet/solvers/active_set/working_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet::active_set {
namespace {

// In units where A has a unit diagonal: pivots below this are those of a dependent row, and
// velocities below this share of the data are rounding.
constexpr double kDependent = 1e-11;
constexpr double kRounding = 1e-13;

}  // namespace

WorkingSet::WorkingSet(const DelassusProblem& problem, const VectorXd& start) {
  const ConstraintRows& rows = problem.rows;
  const int n = rows.rowCount();
  A_.setZero(n, n);
  for (int i = 0; i < rows.blockCount(); ++i) {
    for (int k = problem.W.begin(i); k < problem.W.end(i); ++k) {
      const int j = problem.W.column(k);
      A_.block(rows.offset(i), rows.offset(j), rows.size(i), rows.size(j)) = problem.W.block(i, k);
    }
  }
  A_ = (0.5 * (A_ + A_.transpose())).eval();
  for (int row = 0; row < n; ++row) A_(row, row) += rows.compliance[row];
  scale_.resize(n);
  for (int row = 0; row < n; ++row) {
    scale_[row] = A_(row, row) > 0.0 ? 1.0 / std::sqrt(A_(row, row)) : 1.0;
  }
  A_ = scale_.asDiagonal() * A_ * scale_.asDiagonal();
  q_ = scale_.cwiseProduct(problem.q);
  noise_ = kRounding * std::max(q_.size() > 0 ? q_.lpNorm<Eigen::Infinity>() : 0.0, 1e-300) *
           std::sqrt(1.0 + n);
  lambda_ = start.cwiseQuotient(scale_);
  setBounds(rows);
}

void WorkingSet::setBounds(const ConstraintRows& rows) {
  lower_.resize(rows.rowCount());
  upper_.resize(rows.rowCount());
  for (int i = 0; i < rows.blockCount(); ++i) {
    for (int row = rows.offset(i); row < rows.offset(i) + rows.size(i); ++row) {
      const bool tangent = rows.kind[i] == LawKind::cone && row > rows.offset(i);
      const bool equality = rows.kind[i] == LawKind::equality;
      const bool box = rows.kind[i] == LawKind::box;
      lower_[row] = equality ? -kInfinity : box ? rows.lower[row] / scale_[row] : 0.0;
      upper_[row] = tangent ? 0.0 : box ? rows.upper[row] / scale_[row] : kInfinity;
    }
  }
  lambda_ = lambda_.cwiseMax(lower_).cwiseMin(upper_);
}

// How far row j, which is not in F, is from its law.
double WorkingSet::violation(int j) const {
  if (lower_[j] == upper_[j]) return 0.0;
  if (lambda_[j] <= lower_[j]) return std::max(0.0, -u_[j]);
  if (lambda_[j] >= upper_[j]) return std::max(0.0, u_[j]);
  return std::abs(u_[j]);
}

int WorkingSet::chooseEntering(bool smallest_index) const {
  int entering = -1;
  double largest = noise_;
  for (int j = 0; j < static_cast<int>(lambda_.size()); ++j) {
    if (is_free_[j] || !(violation(j) > largest)) continue;
    entering = j;
    if (smallest_index) break;
    largest = violation(j);
  }
  return entering;
}

// Column of row j in terms of F; false when it depends on F.
bool WorkingSet::prepareColumn(int j) {
  const int n = static_cast<int>(free_.size());
  column_.resize(n);
  for (int k = 0; k < n; ++k) column_[k] = A_(free_[k], j);
  factor_.solveLower(column_, w_);
  pivot_ = A_(j, j) - w_.squaredNorm();
  d_ = w_;
  factor_.solveUpper(d_);
  return pivot_ > kDependent;
}

// Longest step along (d_F, d_j) that keeps all bounds; `blocking` is a place in F, or -1 for j.
double WorkingSet::stepToBound(int j, double d_j, int& blocking) const {
  const auto limit = [&](int row, double d) {
    if (d > 0.0) return (upper_[row] - lambda_[row]) / d;
    return d < 0.0 ? (lower_[row] - lambda_[row]) / d : kInfinity;
  };
  blocking = -1;
  double step = limit(j, d_j);
  for (int k = 0; k < static_cast<int>(free_.size()); ++k) {
    const double candidate = limit(free_[k], -d_[k] * d_j);
    if (candidate < step) {
      step = candidate;
      blocking = k;
    }
  }
  return std::max(step, 0.0);
}

void WorkingSet::leave(int place) {
  const int row = free_[place];
  lambda_[row] = upper_[row] - lambda_[row] < lambda_[row] - lower_[row] ? upper_[row] : lower_[row];
  is_free_[row] = 0;
  free_.erase(free_.begin() + place);
  factor_.remove(place);
}

// Rows that start between their bounds are in F, as far as they are independent.
void WorkingSet::takeStart() {
  const int n = static_cast<int>(lambda_.size());
  factor_.reset(n);
  free_.clear();
  is_free_.assign(static_cast<std::size_t>(n), 0);
  for (int j = 0; j < n; ++j) {
    if (!between(j) || !prepareColumn(j)) continue;
    factor_.append(w_, pivot_);
    free_.push_back(j);
    is_free_[j] = 1;
  }
}

// Moves the rows of F to u_F = 0; those that meet a bound on the way leave.
void WorkingSet::refine() {
  while (true) {
    u_ = A_ * lambda_ + q_;
    const int n = static_cast<int>(free_.size());
    column_.resize(n);
    for (int k = 0; k < n; ++k) column_[k] = -u_[free_[k]];
    factor_.solveLower(column_, w_);
    d_ = w_;
    factor_.solveUpper(d_);
    double step = 1.0;
    int blocking = -1;
    for (int k = 0; k < n; ++k) {
      const int row = free_[k];
      const double bound = d_[k] > 0.0 ? upper_[row] : lower_[row];
      const double limit = d_[k] != 0.0 ? (bound - lambda_[row]) / d_[k] : kInfinity;
      if (limit < step) {
        step = std::max(limit, 0.0);
        blocking = k;
      }
    }
    for (int k = 0; k < n; ++k) lambda_[free_[k]] += step * d_[k];
    if (blocking < 0) break;
    leave(blocking);
  }
  u_ = A_ * lambda_ + q_;
}

// Row j moves until its law holds (ACT-2), (ACT-3).
SolveStatus WorkingSet::enter(int j, bool& degenerate, int& iterations) {
  degenerate = true;
  while (true) {
    ++iterations;
    const bool independent = prepareColumn(j);
    const double d_j = u_[j] < 0.0 ? 1.0 : -1.0;
    int blocking = -1;
    const double to_bound = stepToBound(j, d_j, blocking);
    const double to_zero = independent ? std::abs(u_[j]) / pivot_ : kInfinity;
    const double step = std::min(to_zero, to_bound);
    if (std::isinf(step)) return SolveStatus::infeasible;
    if (step > 0.0) degenerate = false;
    lambda_[j] += step * d_j;
    for (std::size_t k = 0; k < free_.size(); ++k) lambda_[free_[k]] -= step * d_j * d_[k];
    if (to_zero <= to_bound) {
      factor_.append(w_, pivot_);
      free_.push_back(j);
      is_free_[j] = 1;
      return SolveStatus::solved;
    }
    if (blocking < 0) {  // j itself is at its other bound
      lambda_[j] = d_j > 0.0 ? upper_[j] : lower_[j];
      return SolveStatus::solved;
    }
    leave(blocking);
    u_[j] = A_.row(j).dot(lambda_) + q_[j];
    if (u_[j] * d_j >= 0.0) return SolveStatus::solved;  // its law holds already
  }
}

SolveStatus WorkingSet::run(int max_iterations, const std::atomic<bool>* interrupt,
                            int& iterations) {
  takeStart();
  refine();
  bool degenerate = false;
  for (int first = iterations; iterations - first < max_iterations;) {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) break;
    const int j = chooseEntering(degenerate);
    if (j < 0) return SolveStatus::solved;
    if (enter(j, degenerate, iterations) == SolveStatus::infeasible) return SolveStatus::infeasible;
    refine();
  }
  return SolveStatus::max_iterations;
}

}  // namespace cornet::active_set
