#include "cornet/math/coulomb_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cornet {
namespace {

// Below this det(S)/‖S‖² the explicit inverse loses digits that pivoted elimination keeps.
constexpr double kWellConditioned = 1e-2;

// Entries of S this far below those of A_tt are rounding noise of the elimination of A_nn.
constexpr double kNoise = 8 * kEpsilon;

// 1 + μ β·d has lost this much to cancellation when λ_n is better taken from the tangential row.
constexpr double kCancelled = 1e-2;

// A Newton step this small squares to less than rounding: it is the last one.
constexpr double kLastStep = 1e-9;

// G(τ) of (ONE-3), its two factors and its derivative.
struct SlipEquation {
  double m, s11, s12, s21, s22, mu_beta1, mu_beta2;

  double grip(double tau) const { return -s21 + (s11 - s22) * tau + s12 * tau * tau; }
  double stretch(double tau, double root) const { return root + mu_beta1 + mu_beta2 * tau; }
  double value(double tau, double root) const {
    return tau * stretch(tau, root) - m * grip(tau);
  }
  double derivative(double tau, double root) const {
    return m * ((s22 - s11) - 2.0 * s12 * tau) + root + tau * tau / root + mu_beta1 +
           2.0 * mu_beta2 * tau;
  }
};

// An end of the bracket where no sticking direction gives one: doubling until G > 0.
double bracketEnd(const SlipEquation& G, double tau_guess) {
  constexpr double kSteepest = 1e16;  // d is then across -w to the last bit
  double tau = std::max(1.0, 2.0 * tau_guess);
  while (tau < kSteepest && G.value(tau, std::sqrt(1.0 + tau * tau)) <= 0.0) tau *= 4.0;
  return tau;
}

// Root of G in [0, hi] by Newton's method, bisecting whenever it leaves the bracket.
double solveSlip(const SlipEquation& G, double tau, double hi) {
  double lo = 0.0;
  constexpr int kMaxSteps = 100;  // bisection alone would need about 60; Newton takes 2 to 5
  for (int step = 0; step < kMaxSteps; ++step) {
    const double root = std::sqrt(1.0 + tau * tau);
    const double g = G.value(tau, root);
    if (g == 0.0) return tau;
    (g < 0.0 ? lo : hi) = tau;
    const double newton = tau - g / G.derivative(tau, root);
    const bool inside = newton > lo && newton < hi;
    if (inside && std::abs(newton - tau) <= kLastStep * tau) return newton;
    const double next = inside ? newton : 0.5 * (lo + hi);
    if (next == lo || next == hi) return next;
    tau = next;
  }
  return tau;
}

}  // namespace

CoulombContact::CoulombContact(const Matrix3d& A, double mu) : mu_(mu) {
  const double a = A(0, 0);
  if (!(a > 0.0)) return;
  inverse_a_ = 1.0 / a;
  beta_ = A.block<1, 2>(0, 1).transpose() / a;
  gamma_ = A.block<2, 1>(1, 0) / a;
  S_ = A.block<2, 2>(1, 1) - A.block<2, 1>(1, 0) * beta_.transpose();
  const double det = S_(0, 0) * S_(1, 1) - S_(0, 1) * S_(1, 0);
  noise_ = kNoise * A.block<2, 2>(1, 1).cwiseAbs().maxCoeff();
  well_conditioned_ = det > kWellConditioned * S_.squaredNorm() && S_.norm() > noise_;
  const double off = 0.5 * (S_(0, 1) + S_(1, 0));
  definite_ = S_(0, 0) > 0.0 && S_(0, 0) * S_(1, 1) > off * off;
  if (well_conditioned_) {
    S_inverse_ << S_(1, 1) / det, -S_(0, 1) / det, -S_(1, 0) / det, S_(0, 0) / det;
  }
}

ContactMode CoulombContact::solve(const Vector3d& q, Vector3d& lambda) const {
  lambda.setZero();
  if (q[0] >= 0.0) return ContactMode::open;
  if (inverse_a_ == 0.0) return ContactMode::none;
  const double p = -q[0] * inverse_a_;
  if (mu_ == 0.0) {
    lambda[0] = p;
    return ContactMode::slip;
  }
  const Vector2d w(q[1] - gamma_[0] * q[0], q[2] - gamma_[1] * q[0]);
  Vector2d x;
  if (stick(w, p, x, lambda)) return ContactMode::stick;
  if (!std::isinf(mu_)) {
    if (slip(w, p, x, lambda) && (definite_ || slides(w, p, lambda))) return ContactMode::slip;
    if (!definite_ && searchAllDirections(w, p, lambda)) return ContactMode::slip;
  }
  lambda.setZero();
  return ContactMode::none;
}

// Writes the sticking impulse x even when the cone refuses it; NaN when there is none.
bool CoulombContact::stick(const Vector2d& w, double p, Vector2d& x, Vector3d& lambda) const {
  if (well_conditioned_) {
    x[0] = -(S_inverse_(0, 0) * w[0] + S_inverse_(0, 1) * w[1]);
    x[1] = -(S_inverse_(1, 0) * w[0] + S_inverse_(1, 1) * w[1]);
  } else {
    x = stickTangentially(w);
  }
  const double n = p - (beta_[0] * x[0] + beta_[1] * x[1]);
  const double limit = mu_ * n;
  // False for NaN, which stands for "no sticking impulse exists".
  if (!(n >= 0.0 && x[0] * x[0] + x[1] * x[1] <= limit * limit)) return false;
  lambda << n, x[0], x[1];
  return true;
}

// S x = -w by elimination with complete pivoting. Where S is singular to rounding: the solution
// without a part along the eliminated column if w allows one, NaN otherwise.
Vector2d CoulombContact::stickTangentially(const Vector2d& w) const {
  Eigen::Index r = 0;
  Eigen::Index c = 0;
  const double pivot_size = S_.cwiseAbs().maxCoeff(&r, &c);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (pivot_size <= noise_) return w.isZero(0.0) ? Vector2d::Zero() : Vector2d::Constant(kNone);
  const double factor = S_(1 - r, c) / S_(r, c);
  const double pivot2 = S_(1 - r, 1 - c) - factor * S_(r, 1 - c);
  const double w2 = w[1 - r] - factor * w[r];
  Vector2d x = Vector2d::Zero();
  if (std::abs(pivot2) > noise_) {
    x[1 - c] = -w2 / pivot2;
  } else if (std::abs(w2) > 4 * kEpsilon * w.cwiseAbs().maxCoeff()) {
    return Vector2d::Constant(kNone);
  }
  x[c] = -(w[r] + S_(r, 1 - c) * x[1 - c]) / S_(r, c);
  return x;
}

// `x` is the sticking impulse that the cone refused, or NaN.
bool CoulombContact::slip(const Vector2d& w, double p, const Vector2d& x, Vector3d& lambda) const {
  const double speed = std::sqrt(w[0] * w[0] + w[1] * w[1]);
  if (speed == 0.0) {  // nothing to resist, yet too little grip: only a degenerate S comes here
    lambda << p, 0.0, 0.0;
    return true;
  }
  // Frame (d, e): d = -w/‖w‖, the direction of friction for a light contact.
  const double d0 = -w[0] / speed;
  const double d1 = -w[1] / speed;
  const double s11 = d0 * (S_(0, 0) * d0 + S_(0, 1) * d1) + d1 * (S_(1, 0) * d0 + S_(1, 1) * d1);
  const double s12 = -d1 * (S_(0, 0) * d0 + S_(1, 0) * d1) + d0 * (S_(0, 1) * d0 + S_(1, 1) * d1);
  const double s21 = -d1 * (S_(0, 0) * d0 + S_(0, 1) * d1) + d0 * (S_(1, 0) * d0 + S_(1, 1) * d1);
  const double s22 = S_(0, 0) + S_(1, 1) - s11;
  const double side = s21 <= 0.0 ? 1.0 : -1.0;  // e turned so that σ21 ≤ 0
  const double e0 = -side * d1;
  const double e1 = side * d0;
  const double mu_beta1 = mu_ * (beta_[0] * d0 + beta_[1] * d1);
  const double mu_beta2 = mu_ * (beta_[0] * e0 + beta_[1] * e1);
  const SlipEquation G{mu_ * p / speed, s11, side * s12, side * s21, s22, mu_beta1, mu_beta2};

  double tau = 0.0;
  if (G.s21 < 0.0) {
    // First guess: α of the direction d itself; exact when S is a multiple of the identity.
    const double alpha = std::max(0.0, (1.0 + mu_beta1) / G.m - s11);
    const double guess = -G.s21 / std::max(s22 + alpha, -G.s21 * 1e-12);
    // The end of the bracket: where sticking would point, from the accurate solve of S x = -w.
    const double x_along = x[0] * d0 + x[1] * d1;
    const double x_across = x[0] * e0 + x[1] * e1;
    const bool ahead = x_along > 0.0 && x_across > 0.0;  // false for NaN
    const double end = ahead ? x_across / x_along : bracketEnd(G, guess);
    // At the end of the bracket G > 0 but for rounding at the edge of sticking, and but for jams.
    const bool bracketed = G.value(end, std::sqrt(1.0 + end * end)) > 0.0;
    tau = bracketed ? solveSlip(G, std::min(guess, 0.999999 * end), end) : end;
  }
  const double root = std::sqrt(1.0 + tau * tau);
  const double stretch = G.stretch(tau, root);
  const double grip = G.grip(tau);
  // What is left of each factor after cancellation: the larger share decides where λ_n comes from.
  const double stretch_left = stretch / (root + std::abs(mu_beta1) + std::abs(mu_beta2) * tau);
  const double grip_left = grip * kNoise / (noise_ * root * root);
  const bool from_normal_row = stretch_left > kCancelled || stretch_left > grip_left;
  const double n = from_normal_row ? p * root / stretch : speed * tau * root / (mu_ * grip);
  if (!(n > 0.0 && std::isfinite(n))) return false;
  const double along = mu_ * n / root;
  const double across = along * tau;
  lambda << n, along * d0 + across * e0, along * d1 + across * e1;
  return true;
}

// Whether a slipping impulse keeps the contact closed and leaves the slip straight against friction,
// up to rounding. Only blocks that are not definite need to ask.
bool CoulombContact::slides(const Vector2d& w, double p, const Vector3d& lambda) const {
  const double t = std::sqrt(lambda[1] * lambda[1] + lambda[2] * lambda[2]);
  const Vector2d u = S_ * lambda.tail<2>() + w;
  const double scale = w.norm() + S_.norm() * t + noise_ / kNoise * lambda[0];
  const double along = (u[0] * lambda[1] + u[1] * lambda[2]) / t;
  const double across = (u[1] * lambda[1] - u[0] * lambda[2]) / t;
  const double open = lambda[0] + beta_.dot(lambda.tail<2>()) - p;
  const double pressing = lambda[0] + beta_.norm() * t + p;
  constexpr double kRounding = 64 * kEpsilon;
  return along <= kRounding * scale && std::abs(across) <= kRounding * scale &&
         std::abs(open) <= kRounding * pressing;
}

// Every direction of slip: brackets on a circle, then bisection; of the solutions the one closest
// to sticking. For unsymmetric blocks that (ONE-3) does not cover.
bool CoulombContact::searchAllDirections(const Vector2d& w, double p, Vector3d& lambda) const {
  const auto direction = [](double angle) { return Vector2d(std::cos(angle), std::sin(angle)); };
  const auto across = [&](double angle) {
    const Vector2d d = direction(angle);
    const Vector2d v = mu_ * p * (S_ * d) + (1.0 + mu_ * beta_.dot(d)) * w;
    return d[0] * v[1] - d[1] * v[0];
  };
  constexpr int kSamples = 256;
  constexpr double kJammed = 1e-9;  // 1 + μ β·d below this is a solution at infinity
  constexpr double kStep = 2.0 * std::numbers::pi / kSamples;
  double least_slip = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kSamples; ++k) {
    double lo = k * kStep;
    double hi = lo + kStep;
    const bool rising = across(hi) > 0.0;
    if ((across(lo) > 0.0) == rising) continue;
    for (int step = 0; step < 60; ++step) {
      const double mid = 0.5 * (lo + hi);
      ((across(mid) > 0.0) == rising ? hi : lo) = mid;
    }
    const Vector2d d = direction(lo);
    const double stretch = 1.0 + mu_ * beta_.dot(d);
    if (!(stretch > kJammed * (1.0 + mu_ * beta_.norm()))) continue;
    const double n = p / stretch;
    const double slip_speed = -(mu_ * n * (S_ * d) + w).dot(d);
    if (!(slip_speed >= 0.0 && slip_speed < least_slip * mu_ * n)) continue;
    least_slip = slip_speed / (mu_ * n);
    lambda << n, mu_ * n * d[0], mu_ * n * d[1];
  }
  return std::isfinite(least_slip);
}

ContactMode solveCoulombContact(const Matrix3d& A, const Vector3d& q, double mu, Vector3d& lambda) {
  return CoulombContact(A, mu).solve(q, lambda);
}

}  // namespace cornet
