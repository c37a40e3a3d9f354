#include "cornet/solvers/exact/interior_point.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace cornet::exact {
namespace {

constexpr std::array kThetas = {1.0, 0.9, 0.7, 0.4, 0.0};
constexpr double kToBoundary = 0.99;
constexpr double kShortStep = 0.1;      // a fold: damp the derivative
constexpr double kCentringStep = 0.2;   // below this, plain centring is tried with the same factors
constexpr double kCentringSigma = 0.5;
constexpr int kMaxStalls = 6;           // steps in a row without any progress

// An equality's stiffness in the sticking start, as everywhere (EXACT-8).
constexpr double kEqualityStiffness = 1e9;

// Progress of a run: the judge's error, ν, and the residual of the velocity equation.
class StallCounter {
 public:
  // Returns true after too many steps without progress in any of them.
  bool stalled(double error, double nu, double residual) {
    ++stalls_;
    if (error < 0.95 * error_) {
      error_ = error;
      stalls_ = 0;
    }
    if (nu < 0.9 * nu_ || (residual < 0.9 * residual_ && nu < 1e3 * nu_)) stalls_ = 0;
    nu_ = std::min(nu_, nu);
    residual_ = std::min(residual_, residual);
    return stalls_ > kMaxStalls;
  }

 private:
  double error_ = kInfinity, nu_ = kInfinity, residual_ = kInfinity;
  int stalls_ = 0;
};

}  // namespace

void InteriorPoint::reset(const ScaledRows& rows, FrictionModel model) {
  rows_ = &rows;
  model_ = model;
  barrier_.reset(rows, model);
  weights_.reset(rows);
  // All memory is taken here, whichever stages a solve goes through.
  for (InteriorPointIterate* x : {&x_, &predictor_, &corrector_, &centring_, &chosen_}) {
    x->r.resize(rows.rowCount());
    x->z.resize(rows.rowCount());
    x->y.resize(rows.rowCount());
  }
  for (VectorXd* x : {&u_, &g_, &target_, &A_dr_}) x->resize(rows.rowCount());
}

// Every row a spring, of stiffness κ unless it is an equality.
void InteriorPoint::setStiffness(double kappa) {
  stiffness_.resize(rows_->rowCount());
  for (int i = 0; i < rows_->blockCount(); ++i) {
    for (int row = rows_->offset[i]; row < rows_->offset[i + 1]; ++row) {
      const bool equality =
          !rows_->is_cone[i] && std::isinf(rows_->lower[row]) && std::isinf(rows_->upper[row]);
      stiffness_[row] = equality ? kEqualityStiffness : kappa;
    }
  }
}

void InteriorPoint::factorSticking(KktSystem& kkt) {
  for (int i = 0; i < rows_->blockCount(); ++i) {
    const int n = rows_->size(i);
    Eigen::Map<MatrixXd> G(weights_.block(i), n, n);
    G.setZero();
    for (int r = 0; r < n; ++r) {
      const double stiffness = stiffness_[rows_->offset[i] + r];
      G(r, r) = kkt.readsInverse() ? 1.0 / stiffness : stiffness;
    }
  }
  kkt.factor(weights_, true);
}

// Each step takes a factor κ off what the springs gave way; the last ones solve for what is left, so that rounding counts
// relative to that.
void InteriorPoint::stickNear(KktSystem& kkt, VectorXd& r) {
  constexpr int kSteps = 2;
  constexpr int kCorrections = 2;
  factorSticking(kkt);
  for (int k = 0; k < kSteps; ++k) {
    target_ = r;
    if (kkt.readsInverse()) target_ = target_.cwiseQuotient(stiffness_);
    kkt.solve(target_, rows_->c, r, u_);
  }
  for (int k = 0; k < kCorrections; ++k) {
    kkt.multiply(r, residual_);
    residual_ += rows_->c;
    target_.setZero(rows_->rowCount());
    kkt.solve(target_, residual_, correction_, u_);
    r += correction_;
  }
}

void InteriorPoint::solveSticking(double kappa, KktSystem& kkt, VectorXd& r) {
  setStiffness(kappa);
  stickNear(kkt, r);
}

void InteriorPoint::shareFriction(double kappa, KktSystem& kkt, VectorXd& r) {
  constexpr double kLeastShare = 1e-6;
  setStiffness(kappa);
  double largest = 0.0;
  for (int i = 0; i < rows_->blockCount(); ++i) {
    if (rows_->is_cone[i]) largest = std::max(largest, r[rows_->offset[i]]);
  }
  for (int i = 0; i < rows_->blockCount(); ++i) {
    if (!rows_->is_cone[i] || rows_->size(i) != 3) continue;
    const int row = rows_->offset[i];
    const double share = largest > 0.0 ? std::max(r[row] / largest, kLeastShare) : 1.0;
    for (int t = 1; t < 3; ++t) {
      stiffness_[row + t] *= share;
      r[row + t] = 0.0;
    }
  }
  stickNear(kkt, r);
}

void InteriorPoint::startSticking(double kappa, KktSystem& kkt) {
  setStiffness(kappa);
  factorSticking(kkt);
  target_.setZero(rows_->rowCount());
  kkt.solve(target_, rows_->c, x_.r, u_);
  u_ += rows_->c;
  barrier_.moveInside(u_, barrier_.rootMeanSquare(x_.r), barrier_.rootMeanSquare(rows_->c), true, x_);
}

void InteriorPoint::startFrom(const VectorXd& r, double share, KktSystem& kkt) {
  x_.r = r;
  kkt.multiply(x_.r, u_);
  u_ += rows_->c;
  const double tiny = share * 1e-12 * barrier_.rootMeanSquare(rows_->c);
  barrier_.moveInside(u_, std::max(share * barrier_.rootMeanSquare(x_.r), tiny),
                      std::max(share * barrier_.rootMeanSquare(u_), tiny), false, x_);
}

int InteriorPoint::run(const InteriorPointOptions& options, KktSystem& kkt, Judge& judge) {
  const bool exact = model_ == FrictionModel::coulomb;
  StallCounter progress;
  std::size_t damping = exact ? 0 : kThetas.size() - 1;
  int factorizations = 0;
  while (true) {
    kkt.multiply(x_.r, u_);
    u_ += rows_->c;
    barrier_.calcResidual(x_, u_, g_);
    nu_ = barrier_.calcGap(x_);
    const double error = judge.calcError(x_.r);
    const bool done = error <= options.target || !std::isfinite(error) || judge.mustEnd();
    if (done || factorizations >= options.max_factorizations) break;
    if (progress.stalled(error, nu_, g_.lpNorm<Eigen::Infinity>())) break;
    if (!barrier_.linearize(x_)) break;

    // The longest step over the damped derivatives; the first one that is not short is taken.
    double length = -1.0;
    std::size_t used = damping;
    for (std::size_t k = damping; k < kThetas.size(); ++k) {
      const double a = step(kThetas[k], options.min_sigma, kkt, corrector_);
      ++factorizations;
      if (a > 1.5 * length || (a >= kShortStep && length < kShortStep)) {
        length = a;
        used = k;
        std::swap(chosen_, corrector_);
      }
      const bool spent = factorizations >= options.max_factorizations || judge.mustEnd();
      if (a >= kShortStep || spent) break;
      if (error <= options.hand_over) return factorizations;
    }
    if (!(length > 0.0)) break;
    // What had to be tried for is kept once; what went at once may go with less next time.
    if (exact) damping = used == damping && used > 0 ? used - 1 : used;
    x_.r += length * chosen_.r;
    x_.z += length * chosen_.z;
    x_.y += length * chosen_.y;
  }
  return factorizations;
}

// One factorization, predictor and corrector; returns the length of the step.
double InteriorPoint::step(double theta, double min_sigma, KktSystem& kkt,
                           InteriorPointIterate& direction) {
  barrier_.calcWeights(theta, kkt.readsInverse(), weights_);
  kkt.factor(weights_, theta == 0.0);
  const auto length = [&](const InteriorPointIterate& d) {
    const double a = std::min(1.0, kToBoundary * barrier_.maxStep(x_, d));
    return d.r.allFinite() && d.z.allFinite() && d.y.allFinite() ? a : -1.0;
  };
  solve(0.0, nullptr, kkt, predictor_);
  const double affine = std::min(1.0, barrier_.maxStep(x_, predictor_));
  const double share = nu_ > 0.0 ? barrier_.calcGap(x_, predictor_, affine) / nu_ : 0.0;
  const double sigma = std::max(std::pow(std::clamp(share, 0.0, 1.0), 3), min_sigma);
  solve(sigma * nu_, &predictor_, kkt, direction);
  const double a = length(direction);
  if (a >= kCentringStep) return a;
  solve(kCentringSigma * nu_, nullptr, kkt, centring_);
  const double centred = length(centring_);
  if (!(centred > 2.0 * a)) return a;
  std::swap(direction, centring_);
  return centred;
}

void InteriorPoint::solve(double nu, const InteriorPointIterate* predictor, KktSystem& kkt,
                          InteriorPointIterate& direction) {
  barrier_.calcTarget(nu, predictor, kkt.readsInverse(), x_, target_);
  kkt.solve(target_, g_, direction.r, A_dr_);
  barrier_.calcDirection(x_, g_, A_dr_, direction);
}

}  // namespace cornet::exact
