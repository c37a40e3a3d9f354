#include "cornet/solvers/exact/sweep_stage.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet::exact {
namespace {

constexpr int kBatch = 5;  // sweeps from look to look
constexpr int kMaxSweeps = 5000;
constexpr int kMaxPlain = 60;  // before those
// Largest change of a block in a sweep, in units of tolerance, below which it pays to certify.
constexpr double kPromisingChange = 1.0;
constexpr double kPromisingWithMomentum = 1.5;
// Many rows on one body may make sweeps with momentum grow: those that change more than this many times the least seen begin
// again from the best point, without momentum.
constexpr double kLost = 30.0;
// Sweeps go on from where they ended if that is nearly as good as the best.
constexpr double kNearBest = 10.0;
// Sweeps slow down as they go: the rate of now promises more than it will keep.
constexpr double kPessimism = 2.0;
constexpr double kManySweeps = 50.0;         // for the time of a factorization
constexpr double kGrantedFactorizations = 30.0;

// Predicted times [ns], measured on one machine; only their ratios matter.
constexpr double kTimePerBlock = 110.0;
constexpr double kTimePerEntry = 1.9;  // a block of W

// Sweeps creep up to their target, other stages jump far below it: where accuracy is asked for, one digit more.
constexpr double kAccurate = 1e-6;

double predictCost(const ConstraintRows& rows, double entries) {
  return kTimePerBlock * rows.blockCount() + kTimePerEntry * entries;
}

}  // namespace

template <class Sweeper, class Problem>
void SweepStage::reserveFor(Sweeper& sweeper, const Problem& problem) {
  const int rows = problem.rows.rowCount();
  if (rows <= reserved_rows_) return;
  reserved_rows_ = rows;
  sweeper.reset(problem, options_.friction_model);
  lambda_.resize(rows);
  weight_.resize(static_cast<std::size_t>(problem.rows.blockCount()));
}

template void SweepStage::reserveFor(gauss_seidel::Sweeper<gauss_seidel::DelassusRows>&, const DelassusProblem&);
template void SweepStage::reserveFor(gauss_seidel::Sweeper<gauss_seidel::VelocityRows>&, const ContactProblem&);

void SweepStage::reset(const DelassusProblem& problem, bool closed_form) {
  is_delassus_ = true;
  closed_form_ = closed_form;
  delassus_.reset(problem, options_.friction_model);
  cost_ = predictCost(problem.rows, problem.W.blockCount());
}

void SweepStage::reset(const ContactProblem& problem, bool closed_form) {
  is_delassus_ = false;
  closed_form_ = closed_form;
  velocity_.reset(problem, options_.friction_model);
  cost_ = predictCost(problem.rows, 4.0 * problem.J.blockCount());
}

int SweepStage::batch() const { return closed_form_ ? 1 : kBatch; }

double SweepStage::target() const { return (options_.tolerance < kAccurate ? 0.1 : 1.0) * options_.tolerance; }

bool SweepStage::areCheap(double factorization) const { return factorization > kManySweeps * cost_; }

// Takes the velocities of what was judged last, and momentum away.
void SweepStage::restart() {
  withSweeper([&](auto& sweeper) {
    sweeper.setVelocity(judge_.certifier().v());
    sweeper.restart();
  });
}

void SweepStage::begin(const VectorXd& lambda) {
  lambda_ = lambda;
  count_ = 0;
  gauss_seidel::calcSweepWeights(judge_.certifier(), judge_.certificate(), weight_);
  restart();
  changes_.clear();
  changes_.reserve((kMaxSweeps + kMaxPlain) / kBatch + 1);
}

void SweepStage::resume(bool cheap) {
  if (!cheap || judge_.own().error < swept_error_) lambda_ = judge_.own().lambda;
  judge_.judge(lambda_);
  begin(lambda_);
}

// A few sweeps; whether more may help.
bool SweepStage::sweepOn(Kind kind) {
  const bool has_momentum = kind == Kind::with_momentum;  // then changes also rise
  const auto sweepOnce = [&](std::span<const double> weight) {
    return withSweeper([&](auto& sweeper) {
      return has_momentum ? sweeper.sweepWithMomentum(weight, lambda_) : sweeper.sweep(weight, lambda_);
    });
  };
  for (int k = 1; k < batch(); ++k) sweepOnce({});
  const double before = change_;
  change_ = sweepOnce(weight_);
  count_ += batch();
  changes_.push_back(has_momentum && !changes_.empty() ? std::min(change_, changes_.back()) : change_);
  if (has_momentum && change_ > before) withSweeper([&](auto& sweeper) { sweeper.stop(lambda_); });
  const double promising = has_momentum ? kPromisingWithMomentum : kPromisingChange;
  if (closed_form_ || change_ <= promising * target()) {
    judge_.judge(lambda_);
    withSweeper([&](auto& sweeper) { sweeper.setVelocity(judge_.certifier().v()); });
    gauss_seidel::calcSweepWeights(judge_.certifier(), judge_.certificate(), weight_);
    if (judge_.best().error <= target() || closed_form_ || change_ == 0.0) return false;
  }
  return std::isfinite(change_) && !judge_.mustEnd();
}

bool SweepStage::sweepPlainly(int most) {
  bool may_help = true;
  while (may_help && count_ < most) may_help = sweepOn(Kind::plain);
  return may_help;
}

// Sweeps to the tolerance at the rate of the second half of those so far: single changes go up and down.
double SweepStage::predict() const {
  const std::size_t half = changes_.size() / 2;
  const double lost = std::log(changes_[half - 1] / changes_.back());
  const auto batches = static_cast<double>(changes_.size() - half);
  return lost > 0.0 ? kBatch * batches * std::log(changes_.back() / target()) / lost : kInfinity;
}

void SweepStage::sweepWhileItPays(double rival, double factorization) {
  const double affordable = rival / cost_;
  Kind kind = areCheap(factorization) ? Kind::with_momentum : Kind::plain;
  const double granted = kind == Kind::plain ? 0.0 : kGrantedFactorizations * factorization / cost_;
  if (kind == Kind::with_momentum) judge_.judge(lambda_);  // there is something to go back to
  const int first = count_;
  while (count_ - first < kMaxSweeps && !judge_.mustEnd()) {
    const int count = count_ - first;
    const bool pays = kPessimism * predict() < affordable - count;
    if (count >= granted && !pays) break;
    const bool may_help = sweepOn(kind);
    if (kind == Kind::with_momentum && !(change_ <= kLost * changes_.back())) {
      kind = Kind::plain;
      goBack();
    } else if (!may_help) {
      break;
    }
  }
}

// To the best point, without momentum.
void SweepStage::goBack() {
  lambda_ = judge_.best().lambda;
  judge_.judge(lambda_);
  restart();
}

int SweepStage::end() {
  const double last = judge_.reached() ? 0.0 : judge_.judge(lambda_);
  swept_error_ = last <= kNearBest * judge_.best().error ? judge_.best().error : kInfinity;
  return count_;
}

}  // namespace cornet::exact
