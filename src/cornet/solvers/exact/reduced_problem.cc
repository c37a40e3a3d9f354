#include "cornet/solvers/exact/reduced_problem.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cornet::exact {
namespace {

constexpr double kContradiction = 1e-6;  // of the largest rate: what equalities are left open by
constexpr double kBlocked = 1e-12;       // of a row's inverse mass: rows that joints leave less of cannot move
constexpr double kGive = 1e-14;          // of it: compliance that such rows get, below what a certificate sees

bool isRigidEquality(const ConstraintRows& rows, int block) {
  if (rows.kind[block] != LawKind::equality) return false;
  for (int row = rows.offset(block); row < rows.offset(block) + rows.size(block); ++row) {
    if (rows.compliance[row] > 0.0) return false;
  }
  return true;
}

}  // namespace

bool ReducedProblem::isFor(const ContactProblem& problem) {
  int count = 0;
  for (int k = 0; k < problem.rows.blockCount(); ++k) {
    if (isRigidEquality(problem.rows, k)) count += problem.rows.size(k);
  }
  return count > 0 && count <= RowFactors::kMostRows;
}

void ReducedProblem::collectRows() {
  const ConstraintRows& rows = problem_->rows;
  equal_.clear();
  other_.clear();
  for (int k = 0; k < rows.blockCount(); ++k) {
    std::vector<int>& list = isRigidEquality(rows, k) ? equal_ : other_;
    for (int row = rows.offset(k); row < rows.offset(k) + rows.size(k); ++row) list.push_back(row);
  }
}

bool ReducedProblem::reset(const ContactProblem& problem) {
  problem_ = &problem;
  if (!factors_.reset(problem, RowFactors::Compliance::left_out)) return false;
  collectRows();
  problem.J.multiply(problem.v_free, q_);
  q_ += problem.bias;
  factors_.decompose(equal_);
  offset_ = factors_.meet(-q_(equal_));
  const MatrixXd& A = factors_.A();
  const VectorXd left = A(equal_, Eigen::all) * offset_ + q_(equal_);
  const VectorXd lever = Eigen::Map<const VectorXd>(problem.rows.lever.data(), problem.rows.rowCount())(equal_);
  const double largest = lever.cwiseProduct(q_(equal_)).lpNorm<Eigen::Infinity>();
  if (lever.cwiseProduct(left).lpNorm<Eigen::Infinity>() > kContradiction * largest) return false;

  // (EXACT-20)
  const Eigen::Index left_free = A.cols() - factors_.factors().rank();
  const Eigen::Index free = std::max<Eigen::Index>(1, left_free);  // one that nothing moves where equalities leave none
  MatrixXd Q2 = MatrixXd::Zero(A.cols(), free);
  Q2.bottomRightCorner(left_free, left_free).setIdentity();
  Q2.applyOnTheLeft(factors_.factors().householderQ());
  reduced_.rows.clear();
  reduced_.M.clear();
  reduced_.M.appendBlock(static_cast<int>(free));
  reduced_.M.block(0).setIdentity();
  reduced_.J.reset(reduced_.M.offsets());
  reduced_.v_free.setZero(free);
  reduced_.bias = q_(other_) + A(other_, Eigen::all) * offset_;
  reduced_.dt = problem.dt;
  for (int k = 0; k < problem.rows.blockCount(); ++k) {
    if (isRigidEquality(problem.rows, k)) continue;
    const int block = reduced_.rows.addCopy(problem.rows, k);
    const auto rows = A.middleRows(problem.rows.offset(k), problem.rows.size(k));
    reduced_.J.appendRow(problem.rows.size(k));
    auto J = reduced_.J.block(block, reduced_.J.appendBlock(0));
    J = rows * Q2;
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
      const double whole = rows.row(row).squaredNorm();
      double& compliance = reduced_.rows.compliance[static_cast<std::size_t>(reduced_.rows.offset(block) + row)];
      if (J.row(row).squaredNorm() < kBlocked * whole) compliance = std::max(compliance, kGive * whole);
    }
  }
  return true;
}

void ReducedProblem::restrict(const VectorXd& lambda, VectorXd& reduced) const { reduced = lambda(other_); }

void ReducedProblem::expand(const VectorXd& reduced, VectorXd& lambda) const {
  lambda.setZero(problem_->rows.rowCount());
  lambda(other_) = reduced;
  lambda(equal_) = factors_.pull(offset_ - factors_.A()(other_, Eigen::all).transpose() * reduced);
}

void ReducedProblem::refine(const VectorXd& u, VectorXd& lambda) const {
  lambda(equal_) += factors_.pull(factors_.meet(-u(equal_)));
}

}  // namespace cornet::exact
