#include "cornet/solvers/exact/acting_rows.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace cornet::exact {
namespace {

constexpr int kMostRows = 200;           // many rounds of a decomposition of them
constexpr int kRounds = 4;               // of rows that leave, or of friction that follows its slip
constexpr double kMoreNormal = 1.1;       // than friction needs
constexpr int kPushes = 20;              // sets of rows that are short of what they push
constexpr double kMargin = 1e-3;         // of the largest impulse: rows push by that
constexpr double kLittle = 1e-12;        // ρ, of the impulses in balance
constexpr int kCorrections = 2;          // of impulses, for what the velocities miss
constexpr double kInsideCone = 1e-9;     // of its radius: impulses further inside stick
constexpr double kInsideBounds = 1e-12;  // of the bounds' distance

}  // namespace

bool ActingRows::isFor(const ContactProblem& problem) {
  return problem.rows.rowCount() > 0 && problem.rows.rowCount() <= kMostRows;
}

// A cone opens, sticks or slides.
void ActingRows::chooseCone(int block, const VectorXd& lambda, const VectorXd& u) {
  const ConstraintRows& rows = problem_->rows;
  const int n = rows.offset(block);
  const double mu = rows.mu[block];
  std::fill_n(roles_.begin() + n, rows.size(block), Role::open);
  slides_[block] = false;
  if (!(lambda[n] * inverse_mass_[n] > u[n])) return;
  roles_[n] = Role::acts;
  if (!(mu > 0.0)) return;
  const bool sticks = lambda.segment<2>(n + 1).norm() < (1.0 - kInsideCone) * mu * lambda[n];
  slides_[block] = !sticks;
  std::fill_n(roles_.begin() + n + 1, 2, sticks ? Role::acts : Role::fixed);
}

void ActingRows::chooseRoles(const VectorXd& lambda, const VectorXd& u) {
  const ConstraintRows& rows = problem_->rows;
  roles_.assign(static_cast<std::size_t>(rows.rowCount()), Role::acts);
  slides_.assign(static_cast<std::size_t>(rows.blockCount()), false);
  block_of_.clear();
  for (int k = 0; k < rows.blockCount(); ++k) {
    block_of_.insert(block_of_.end(), static_cast<std::size_t>(rows.size(k)), k);
    if (rows.kind[k] == LawKind::cone) chooseCone(k, lambda, u);
    for (int row = rows.offset(k); row < rows.offset(k) + rows.size(k); ++row) {
      if (rows.kind[k] == LawKind::unilateral && !(lambda[row] * inverse_mass_[row] > u[row])) roles_[row] = Role::open;
      if (rows.kind[k] != LawKind::box) continue;
      const double slack = kInsideBounds * (rows.upper[row] - rows.lower[row]);
      const bool is_inside = lambda[row] > rows.lower[row] + slack && lambda[row] < rows.upper[row] - slack;
      roles_[row] = is_inside ? Role::acts : Role::fixed;
    }
  }
}

bool ActingRows::mayOnlyPush(int row) const {
  const ConstraintRows& rows = problem_->rows;
  const int block = block_of_[row];
  return rows.kind[block] == LawKind::unilateral || (rows.kind[block] == LawKind::cone && row == rows.offset(block));
}

// Impulses of E beside those of the others.
void ActingRows::meet(const VectorXd& others, VectorXd& lambda) const {
  const MatrixXd& A = factors_.A();
  lambda = others;
  lambda(acting_) = factors_.pull(factors_.meet(-(q_ + A * (A.transpose() * others))(acting_)));
  const auto falls_short = [&](int row) { return mayOnlyPush(row) && lambda[row] < calcNeed(row, 0.0, lambda) / kMoreNormal; };
  if (std::ranges::any_of(acting_, falls_short)) push(lambda);
}

// What a row has to push with at least: contacts that stick by what their friction needs.
double ActingRows::calcNeed(int row, double margin, const VectorXd& lambda) const {
  const int block = block_of_[row];
  if (problem_->rows.kind[block] != LawKind::cone || roles_[row + 1] != Role::acts) return margin;
  return std::max(margin, kMoreNormal * lambda.segment<2>(row + 1).norm() / problem_->rows.mu[block]);
}

// Adds impulses in balance with which all rows push that have to, by Newton's method.
void ActingRows::push(VectorXd& lambda) const {
  std::vector<int> one_sided;  // places in E
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    if (mayOnlyPush(acting_[k])) one_sided.push_back(static_cast<int>(k));
  }
  const MatrixXd balanced = factors_.makeBalanced();
  if (balanced.cols() == 0) return;
  const MatrixXd N = balanced(one_sided, Eigen::all);
  const VectorXd acting = lambda(acting_);
  const double margin = kMargin * acting.lpNorm<Eigen::Infinity>();
  const double rho = kLittle * N.squaredNorm();
  if (!(rho > 0.0)) return;
  VectorXd t = VectorXd::Zero(N.cols());
  for (int k = 0; k < kPushes; ++k) {
    VectorXd need(N.rows());
    std::vector<int> short_rows;
    for (Eigen::Index i = 0; i < need.size(); ++i) {
      const auto place = static_cast<std::size_t>(one_sided[static_cast<std::size_t>(i)]);
      need[i] = calcNeed(acting_[place], margin, lambda) - acting[static_cast<Eigen::Index>(place)];
      if (N.row(i).dot(t) < (1.0 - kMargin) * need[i]) short_rows.push_back(static_cast<int>(i));
    }
    if (short_rows.empty()) return;
    for (Eigen::Index i = 0; i < need.size(); ++i) {  // those that push by just what they need go on doing so
      const bool is_on_it = std::abs(N.row(i).dot(t) - need[i]) <= 2.0 * kMargin * std::abs(need[i]);
      if (is_on_it && !std::ranges::binary_search(short_rows, static_cast<int>(i))) short_rows.push_back(static_cast<int>(i));
    }
    std::ranges::sort(short_rows);
    const MatrixXd N_short = N(short_rows, Eigen::all);
    MatrixXd H = N_short * N_short.transpose();
    H.diagonal().array() += rho;
    t = N_short.transpose() * H.ldlt().solve(need(short_rows));
    lambda(acting_) = acting + balanced * t;
  }
}

// Rows of E that pull although they may only push leave it; whether there were any.
bool ActingRows::dropPulling(const VectorXd& lambda) {
  bool any = false;
  for (const int row : acting_) {
    if (!mayOnlyPush(row) || lambda[row] >= 0.0) continue;
    any = true;
    const int block = block_of_[row];
    const int count = problem_->rows.kind[block] == LawKind::cone ? problem_->rows.size(block) : 1;
    std::fill_n(roles_.begin() + row, count, Role::open);
    slides_[block] = false;
  }
  return any;
}

// Friction of what slides, against its slip.
void ActingRows::slide(const VectorXd& u, VectorXd& lambda) const {
  const ConstraintRows& rows = problem_->rows;
  for (int k = 0; k < rows.blockCount(); ++k) {
    if (!slides_[k]) continue;
    const int n = rows.offset(k);
    const Vector2d slip = u.segment<2>(n + 1), friction = lambda.segment<2>(n + 1);
    const double limit = rows.mu[k] * std::max(0.0, lambda[n]);
    if (slip.norm() > 0.0) {
      lambda.segment<2>(n + 1) = -limit / slip.norm() * slip;
    } else if (friction.norm() > 0.0) {
      lambda.segment<2>(n + 1) = limit / friction.norm() * friction;
    }
  }
}

bool ActingRows::keepBetter(const VectorXd& lambda, Solution& solution) {
  certifier_.certify(lambda, certificate_);
  if (!(certificate_.relative < solution.certificate.relative)) return false;
  solution.lambda = lambda;
  solution.v = certifier_.v();
  solution.u = certifier_.u();
  solution.certificate = certificate_;
  return true;
}

bool ActingRows::improve(const ContactProblem& problem, FrictionModel model, Solution& solution) {
  problem_ = &problem;
  if (!factors_.reset(problem, RowFactors::Compliance::in_columns)) return false;
  certifier_.reset(problem, model);
  q_ = certifier_.q();
  inverse_mass_ = factors_.A().rowwise().squaredNorm();
  VectorXd lambda = solution.lambda;
  certifier_.calcVelocities(lambda);
  chooseRoles(lambda, certifier_.u());
  bool better = false;
  for (int round = 0; round < kRounds; ++round) {
    acting_.clear();
    VectorXd others = lambda;
    for (int row = 0; row < static_cast<int>(roles_.size()); ++row) {
      if (roles_[row] == Role::acts) acting_.push_back(row);
      if (roles_[row] != Role::fixed) others[row] = 0.0;
    }
    if (acting_.empty()) return better;
    factors_.decompose(acting_);
    meet(others, lambda);
    for (int k = 0; k <= kCorrections; ++k) {
      better |= keepBetter(lambda, solution);
      if (k < kCorrections) lambda(acting_) += factors_.pull(factors_.meet(-certifier_.u()(acting_)));
    }
    const bool dropped = dropPulling(lambda);
    const bool follows = std::ranges::any_of(slides_, [](char slides) { return slides != 0; });
    if (!dropped && !follows) break;
    slide(certifier_.u(), lambda);
  }
  return better;
}

}  // namespace cornet::exact
