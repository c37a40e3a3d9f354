#include "cornet/solvers/exact/polish.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cornet/math/block_kernels.h"
#include "cornet/math/friction_cone.h"
#include "cornet/solvers/exact/cone_scaling.h"

namespace cornet::exact {
namespace {

constexpr double kFirstKappa = 100.0;
constexpr double kFloorKappa = 1e3;     // from an iterate that is right to many digits
constexpr double kLargestKappa = 1e8;   // beyond it rounding counts
constexpr int kInnerSteps = 8;
constexpr double kInnerAccuracy = 0.1;  // |F| against the velocity error, the change of the impulses over κ
constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
constexpr int kMaxRejections = 6;
constexpr int kFailuresBeforeJump = 3;  // then a fold is crossed
constexpr double kNearFloor = 1e-12;    // errors that rounding explains
constexpr double kFloorAccuracy = 1e-3; // |F| against the change itself, where there is no self-stress left to follow
constexpr int kQuick = 2;               // inner steps, after which κ grows much; up to kFair, a little
constexpr int kFair = 5;
constexpr double kRegularization = 1e-9;  // (EXACT-15)

// Π of one cone in scaled units.
Vector3d project(FrictionModel model, const Vector3d& x, double mu) {
  return model == FrictionModel::coulomb ? coulombMap(x, mu) : projectFrictionCone(x, 1.0);
}

// κ DΠ of the Coulomb map, or the inverse of κ DΠ + 1e-9.
Matrix3d coulombWeight(const Vector3d& x, double mu, double kappa, bool inverse) {
  const double eps = kRegularization;
  const double radius = tangentialNorm(x);
  if (!(x[0] > 0.0)) return (inverse ? 1.0 / eps : 0.0) * Matrix3d::Identity();
  if (radius <= mu * x[0]) {
    return (inverse ? 1.0 / (kappa + eps) : kappa) * Matrix3d::Identity();
  }
  // Slip along t: the normal part feeds μ t, the part across t keeps the share s.
  const Vector2d t = x.tail<2>() / radius;
  const double s = kappa * mu * x[0] / radius;
  const Matrix2d along = t * t.transpose();
  const Matrix2d across = Matrix2d::Identity() - along;
  Matrix3d G = Matrix3d::Zero();
  if (inverse) {
    G(0, 0) = 1.0 / (kappa + eps);
    G.block<2, 1>(1, 0) = -kappa * mu / ((kappa + eps) * eps) * t;
    G.block<2, 2>(1, 1) = along / eps + across / (s + eps);
  } else {
    G(0, 0) = kappa;
    G.block<2, 1>(1, 0) = kappa * mu * t;
    G.block<2, 2>(1, 1) = s * across;
  }
  return G;
}

// The same for the projection onto the unit cone, whose derivative shares the frame of (EXACT-2).
Matrix3d convexWeight(const Vector3d& x, double kappa, bool inverse) {
  const double radius = tangentialNorm(x);
  ConeScaling frame;
  Vector3d f = Vector3d::Zero();
  if (radius <= x[0]) {
    f.setOnes();
  } else if (radius > -x[0]) {
    frame.d = x.tail<2>() / radius;
    f << 1.0, 0.0, (x[0] + radius) / (2.0 * radius);
  }
  f *= kappa;
  if (inverse) f = (f.array() + kRegularization).inverse().matrix();
  return makeSpectral(frame, f);
}

}  // namespace

void Polish::reset(const ScaledRows& rows, FrictionModel model) {
  rows_ = &rows;
  model_ = model;
  weights_.reset(rows);
  zero_.setZero(rows.rowCount());
  // All memory is taken here, whichever stages a solve goes through.
  for (VectorXd* x : {&r_, &g_, &Ag_, &x_, &F_, &dg_, &A_dg_, &target_, &trial_, &trial_A_}) {
    x->resize(rows.rowCount());
  }
}

// x and F at the current g.
void Polish::evaluate() {
  x_ = r_ - kappa_ * (Ag_ + rows_->c);
  F_.resize(x_.size());
  for (int i = 0; i < rows_->blockCount(); ++i) {
    const int begin = rows_->offset[i];
    if (rows_->is_cone[i]) {
      F_.segment<3>(begin) =
          g_.segment<3>(begin) - project(model_, x_.segment<3>(begin), rows_->mu[i]);
      continue;
    }
    for (int row = begin; row < rows_->offset[i + 1]; ++row) {
      F_[row] = g_[row] - std::clamp(x_[row], rows_->lower[row], rows_->upper[row]);
    }
  }
}

void Polish::calcWeights(double kappa, bool inverse) {
  for (int i = 0; i < rows_->blockCount(); ++i) {
    const int begin = rows_->offset[i];
    if (rows_->is_cone[i]) {
      const Vector3d x = x_.segment<3>(begin);
      Eigen::Map<Matrix3d>(weights_.block(i)) =
          model_ == FrictionModel::coulomb ? coulombWeight(x, rows_->mu[i], kappa, inverse)
                                           : convexWeight(x, kappa, inverse);
      continue;
    }
    const int n = rows_->size(i);
    double* G = weights_.block(i);
    std::fill_n(G, n * n, 0.0);
    for (int r = 0; r < n; ++r) {
      const double x = x_[begin + r];
      const bool moves = rows_->lower[begin + r] < x && x < rows_->upper[begin + r];
      const double share = moves ? kappa : 0.0;
      G[r * n + r] = inverse ? 1.0 / (share + kRegularization) : share;
    }
  }
}

// -F, or G⁻¹(-F).
void Polish::setTarget(bool inverse) {
  target_ = -F_;
  if (!inverse) return;
  for (int i = 0; i < rows_->blockCount(); ++i) {
    const int n = rows_->size(i);
    double product[ConstraintRows::kMaxBlockRows] = {};
    kernels::addProduct(n, n, weights_.block(i), target_.data() + rows_->offset[i], product);
    std::copy_n(product, n, target_.data() + rows_->offset[i]);
  }
}

// Newton on F; leaves x at the last point.
int Polish::solveInner(double kappa, double accuracy, int max_factorizations, KktSystem& kkt,
                       const Judge& judge) {
  kappa_ = kappa;
  g_ = r_;
  kkt.multiply(g_, Ag_);
  evaluate();
  int factorizations = 0;
  while (factorizations < std::min(kInnerSteps, max_factorizations)) {
    const double norm = F_.norm();
    const double rounding = kRounding * (r_.norm() + kappa * (Ag_.norm() + rows_->c.norm()));
    const double enough = std::max(accuracy * (g_ - r_).norm(), rounding);
    if (factorizations > 0 && (!(norm > enough) || judge.mustEnd())) break;
    calcWeights(kappa, kkt.readsInverse());
    setTarget(kkt.readsInverse());
    kkt.factor(weights_, model_ == FrictionModel::convex);
    kkt.solve(target_, zero_, dg_, A_dg_);
    ++factorizations;
    if (!dg_.allFinite()) break;
    trial_ = g_;
    trial_A_ = Ag_;
    for (double a = 1.0; a > 1e-3; a *= 0.5) {
      g_ = trial_ + a * dg_;
      Ag_ = trial_A_ + a * A_dg_;
      evaluate();
      if (F_.norm() <= (1.0 - 1e-4 * a) * norm) break;
    }
  }
  return factorizations;
}

int Polish::run(const PolishOptions& options, KktSystem& kkt, Judge& judge, VectorXd& r,
                double error) {
  double kappa = options.to_floor ? kFloorKappa : kFirstKappa;
  double current = error;
  double best = error;
  int factorizations = 0;
  int rejections = 0;
  int idle = 0;
  int failures = 0;  // since the error was halved
  r_ = r;
  while (factorizations < options.max_factorizations && best > options.target &&
         rejections < kMaxRejections && !judge.mustEnd()) {
    const double accuracy = options.to_floor ? kFloorAccuracy : kInnerAccuracy / kappa;
    const int inner = solveInner(kappa, accuracy, options.max_factorizations - factorizations, kkt, judge);
    factorizations += inner;
    // Π(x) obeys the bounds exactly but carries κ times the rounding of the velocities; near the
    // floor the Newton iterate itself may be the better one.
    trial_ = g_ - F_;
    double next = judge.calcError(trial_);
    const double unprojected = options.to_floor ? judge.calcError(g_) : next;
    if (unprojected < next) {
      next = unprojected;
    } else {
      g_ = trial_;
    }
    const bool halved = next < 0.5 * best;
    if (next < best) {
      best = next;
      r = g_;
    }
    idle = halved ? 0 : idle + 1;
    if (halved) failures = 0;
    if (options.to_floor && idle > (best < kNearFloor ? 0 : 1)) break;
    if (next < 3.0 * current) {
      kappa = std::min(kLargestKappa, kappa * (inner <= kQuick ? 5.0 : inner <= kFair ? 2.0 : 1.0));
      r_ = g_;
      current = next;
      rejections = 0;
    } else {
      kappa /= 4.0;
      ++rejections;
      ++failures;
      if (!options.to_floor && failures >= kFailuresBeforeJump) {
        rejections = failures = 0;
        r_ = g_;
        current = next;
        kappa = kFirstKappa;
      }
    }
  }
  return factorizations;
}

}  // namespace cornet::exact
