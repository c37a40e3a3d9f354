#include "cornet/body/free_rotation.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

namespace cornet {
namespace {

constexpr double kLargestTurn = 0.1;  // of a substep [rad]
constexpr int kMaxSubsteps = 64;

// Turns the body about one of its axes: q from the right, L in body axes the other way.
void turnAbout(int axis, double angle, Quaterniond& q, Vector3d& L) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const int m = (axis + 1) % 3;
  const int n = (axis + 2) % 3;
  const double Lm = c * L[m] + s * L[n];
  L[n] = -s * L[m] + c * L[n];
  L[m] = Lm;
  Quaterniond turn(std::cos(0.5 * angle), 0.0, 0.0, 0.0);
  turn.vec()[axis] = std::sin(0.5 * angle);
  q = q * turn;
}

}  // namespace

PrincipalInertia::PrincipalInertia(const Matrix3d& inertia) : moments_(inertia.diagonal()) {
  const Matrix3d off = inertia - Matrix3d(inertia.diagonal().asDiagonal());
  if (off.cwiseAbs().maxCoeff() > 0.0) {
    const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(inertia);
    Matrix3d axes = eigen.eigenvectors();
    if (axes.determinant() < 0.0) axes.col(0) = -axes.col(0);
    moments_ = eigen.eigenvalues();
    q_BP_ = Quaterniond(axes).normalized();
    turned_ = true;
  }
  const auto apart = [this](int i, int j) { return std::abs(1.0 / moments_[i] - 1.0 / moments_[j]); };
  a_ = apart(0, 1) <= apart(1, 2) && apart(0, 1) <= apart(0, 2) ? 2 : apart(1, 2) <= apart(0, 2) ? 0 : 1;
  i_ = (a_ + 1) % 3;
  j_ = (a_ + 2) % 3;
  symmetric_ = apart(i_, j_) <= 1e-14 / moments_[i_];
  spherical_ = symmetric_ && apart(a_, i_) <= 1e-14 / moments_[i_];
}

Matrix3d PrincipalInertia::axes(const Quaterniond& q_WB) const {
  return turned_ ? (q_WB * q_BP_).toRotationMatrix() : q_WB.toRotationMatrix();
}

Vector3d PrincipalInertia::calcMomentum(const Quaterniond& q_WB, const Vector3d& omega) const {
  if (spherical_) return moments_[0] * omega;
  const Matrix3d R = axes(q_WB);
  return R * moments_.cwiseProduct(R.transpose() * omega);
}

Vector3d PrincipalInertia::calcOmega(const Quaterniond& q_WB, const Vector3d& momentum) const {
  if (spherical_) return momentum / moments_[0];
  const Matrix3d R = axes(q_WB);
  return R * (R.transpose() * momentum).cwiseQuotient(moments_);
}

Matrix3d PrincipalInertia::calcInverse(const Quaterniond& q_WB) const {
  if (spherical_) return Matrix3d::Identity() / moments_[0];
  const Matrix3d R = axes(q_WB);
  return R * moments_.cwiseInverse().asDiagonal() * R.transpose();
}

Matrix3d PrincipalInertia::calcMatrix(const Quaterniond& q_WB) const {
  if (spherical_) return moments_[0] * Matrix3d::Identity();
  const Matrix3d R = axes(q_WB);
  return R * moments_.asDiagonal() * R.transpose();
}

void PrincipalInertia::step(double h, Quaterniond& q, Vector3d& L) const {
  const double remainder = 1.0 / moments_[j_] - 1.0 / moments_[i_];
  const double spin = 1.0 / moments_[a_] - 1.0 / moments_[i_];
  if (!symmetric_) turnAbout(j_, 0.5 * h * remainder * L[j_], q, L);
  q = q * expMap(h / moments_[i_] * L);  // about L itself, which stays
  turnAbout(a_, h * spin * L[a_], q, L);
  if (!symmetric_) turnAbout(j_, 0.5 * h * remainder * L[j_], q, L);
}

// Rates of the two parts that do not commute, bounded by what is conserved.
int PrincipalInertia::substeps(double h, const Vector3d& L) const {
  const double L2 = L.squaredNorm();
  const double T2 = L.cwiseAbs2().cwiseQuotient(moments_).sum();
  const auto rate = [&](int k) {
    return std::abs(1.0 / moments_[k] - 1.0 / moments_[i_]) * std::sqrt(std::min(L2, T2 * moments_[k]));
  };
  const double turn = std::abs(h) * std::max(rate(j_), rate(a_));
  return std::clamp(static_cast<int>(std::min(std::ceil(turn / kLargestTurn), 1e6)), 1, kMaxSubsteps);
}

void PrincipalInertia::turnFreely(double h, Quaterniond& q_WB, Vector3d& omega) const {
  if (omega.isZero(0.0)) return;
  if (spherical_) {
    q_WB = (expMap(h * omega) * q_WB).normalized();
    return;
  }
  Quaterniond q = turned_ ? q_WB * q_BP_ : q_WB;
  Vector3d L_P = moments_.cwiseProduct(q.toRotationMatrix().transpose() * omega);
  const Vector3d L = q.toRotationMatrix() * L_P;
  if (symmetric_) {
    step(h, q, L_P);
  } else {
    static const double p = 1.0 / (4.0 - std::cbrt(4.0));
    const int count = substeps(h, L_P);
    for (int k = 0; k < count; ++k) {
      for (const double part : {p, p, 1.0 - 4.0 * p, p, p}) step(h / count * part, q, L_P);
    }
  }
  q_WB = (turned_ ? q * q_BP_.conjugate() : q).normalized();
  omega = calcOmega(q_WB, L);
}

}  // namespace cornet
