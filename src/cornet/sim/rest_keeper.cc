#include "cornet/sim/rest_keeper.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace cornet {
namespace {

constexpr double kProximal = 1e-6;     // of the diagonal of W
constexpr double kEnough = 2e-16;      // [m/s]
constexpr int kRefinements = 6;

// Diagonal of J M⁻¹Jᵀ for the rows of block i.
VectorXd calcDiagonal(const ContactProblem& problem, int i) {
  VectorXd diagonal = VectorXd::Zero(problem.J.rowSize(i));
  for (int k = problem.J.begin(i); k < problem.J.end(i); ++k) {
    const MatrixXd M = problem.M.block(problem.J.column(k));
    const MatrixXd J = problem.J.block(i, k);
    diagonal += (J * M.inverse()).cwiseProduct(J).rowwise().sum();
  }
  return diagonal;
}

double largestHeld(const VectorXd& u, const ContactProblem& problem, const std::vector<bool>& held) {
  double largest = 0.0;
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (!held[i]) continue;
    largest = std::max(largest, u.segment(problem.rows.offset(i), problem.rows.size(i))
                                    .lpNorm<Eigen::Infinity>());
  }
  return largest;
}

}  // namespace

void RestKeeper::factor(const ContactProblem& problem, const std::vector<bool>& held) {
  const BlockSparseMatrix& J = problem.J;
  sizes_.clear();
  pairs_.clear();
  for (int k = 0; k < problem.M.blockCount(); ++k) sizes_.push_back(problem.M.size(k));
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (held[i] && J.end(i) - J.begin(i) == 2) pairs_.emplace_back(J.column(J.begin(i) + 1), J.column(J.begin(i)));
  }
  std::ranges::sort(pairs_);
  pairs_.erase(std::ranges::unique(pairs_).begin(), pairs_.end());
  if (structure_ == nullptr || pairs_ != known_pairs_ || sizes_ != known_sizes_) {
    structure_ = std::make_unique<LduStructure>(BlockGraph(sizes_, pairs_));
    known_pairs_ = pairs_;
    known_sizes_ = sizes_;
    ldu_.reset(*structure_);
  }
  ldu_.setZero();
  for (int k = 0; k < problem.M.blockCount(); ++k) ldu_.addDiagonal(k, problem.M.block(k));
  stiffness_.setZero(problem.rows.rowCount());
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (!held[i]) continue;
    const VectorXd stiffness = (kProximal * calcDiagonal(problem, i)).cwiseInverse();
    stiffness_.segment(problem.rows.offset(i), problem.rows.size(i)) = stiffness;
    const int first = J.begin(i);
    for (int k = first; k < J.end(i); ++k) {
      const MatrixXd own = J.block(i, k).transpose() * stiffness.asDiagonal() * J.block(i, k);
      ldu_.addDiagonal(J.column(k), own);
    }
    if (J.end(i) - first < 2) continue;
    const MatrixXd coupling = J.block(i, first + 1).transpose() * stiffness.asDiagonal() * J.block(i, first);
    ldu_.addSymmetricEntry(structure_->graph().findEntry(J.column(first + 1), J.column(first)), coupling);
  }
  ldu_.factorSymmetric();
}

// (STEP-14), keeping the best.
void RestKeeper::refine(const ContactProblem& problem, const std::vector<bool>& held, VectorXd& lambda) {
  best_ = lambda;
  certifier_.calcVelocities(lambda);
  double least = largestHeld(certifier_.u(), problem, held);
  for (int k = 0; k < kRefinements && least > kEnough; ++k) {
    scaled_ = stiffness_.cwiseProduct(certifier_.u());
    problem.J.multiplyTransposed(scaled_, change_);
    change_ = -change_;
    ldu_.solveInPlace(change_);
    problem.J.multiply(change_, J_change_);
    lambda -= scaled_ + stiffness_.cwiseProduct(J_change_);
    certifier_.calcVelocities(lambda);
    const double left = largestHeld(certifier_.u(), problem, held);
    if (!(left < least)) break;
    least = left;
    best_ = lambda;
  }
  lambda = best_;
}

void RestKeeper::correct(const ContactProblem& problem, const std::vector<bool>& held,
                         Solution& solution) {
  certifier_.reset(problem, FrictionModel::coulomb);
  factor(problem, held);
  refine(problem, held, solution.lambda);
  certifier_.certify(solution.lambda, solution.certificate);
  solution.v = certifier_.v();
  solution.u = certifier_.u();
}

void RestKeeper::predict(const VectorXd& v_free, const std::vector<bool>& held, ContactProblem& problem,
                         VectorXd& lambda) {
  v_free_ = problem.v_free;
  problem.v_free = v_free;
  certifier_.reset(problem, FrictionModel::coulomb);
  refine(problem, held, lambda);
  problem.v_free = v_free_;
}

}  // namespace cornet
