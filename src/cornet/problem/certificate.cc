#include "cornet/problem/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "cornet/math/friction_cone.h"

namespace cornet {
namespace {

// Velocities this far below max(1, v_ref) m/s are rounding of the data themselves.
constexpr double kRoundingFloor = 1e-13;

// The rows of a block: any law, and, for speed, a cone.
using AnyBlock = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, ConstraintRows::kMaxBlockRows, 1>;

bool isCone(const ConstraintRows& rows, int i) { return rows.kind[i] == LawKind::cone; }

// Rows of a vector, turned into m/s or N s by their levers; the rows of a cone have none.
template <class Block>
Block velocityOf(const ConstraintRows& rows, int i, const VectorXd& x) {
  const Eigen::Map<const Block> block(x.data() + rows.offset(i), rows.size(i));
  if constexpr (std::is_same_v<Block, Vector3d>) return block;
  return block.cwiseProduct(Eigen::Map<const Block>(rows.lever.data() + rows.offset(i), rows.size(i)));
}
template <class Block>
Block impulseOf(const ConstraintRows& rows, int i, const VectorXd& x) {
  const Eigen::Map<const Block> block(x.data() + rows.offset(i), rows.size(i));
  if constexpr (std::is_same_v<Block, Vector3d>) return block;
  return block.cwiseQuotient(Eigen::Map<const Block>(rows.lever.data() + rows.offset(i), rows.size(i)));
}

// 1/lever: what turns the bounds of a row into N s.
template <class Block>
Block unitOf(const ConstraintRows& rows, int i) {
  if constexpr (std::is_same_v<Block, Vector3d>) return Vector3d::Ones();
  return Eigen::Map<const Block>(rows.lever.data() + rows.offset(i), rows.size(i)).cwiseInverse();
}

template <class Block>
Block rowsOf(const ConstraintRows& rows, int i, const double* x) {
  return Eigen::Map<const Block>(x + rows.offset(i), rows.size(i));
}

// The velocity that is complementary to the impulse under the law of block i.
template <class Block>
Block complementaryVelocity(const ConstraintRows& rows, FrictionModel model, int i,
                            const Block& u) {
  const bool shifted = rows.kind[i] == LawKind::cone && model == FrictionModel::coulomb &&
                       std::isfinite(rows.mu[i]);
  if (!shifted) return u;
  return deSaxceVelocity(u.template head<3>(), rows.mu[i]);
}

// Nearest admissible impulse; `unit` scales the bounds of box rows (1/lever).
template <class Block>
Block projectImpulse(const ConstraintRows& rows, int i, const Block& x, const Block& unit) {
  switch (rows.kind[i]) {
    case LawKind::equality: return x;
    case LawKind::unilateral: return x.cwiseMax(0.0);
    case LawKind::box: {
      Block clamped(x.size());
      for (int r = 0; r < x.size(); ++r) {
        const int row = rows.offset(i) + r;
        clamped[r] = std::clamp(x[r], rows.lower[row] * unit[r], rows.upper[row] * unit[r]);
      }
      return clamped;
    }
    case LawKind::cone:
      if (std::isinf(rows.mu[i])) return coulombMap(x.template head<3>(), rows.mu[i]);
      return projectFrictionCone(x.template head<3>(), rows.mu[i]);
  }
  return x;
}

// impulse - P(impulse - s), s small beside large impulses or not.
template <class Block>
Block stepToLaw(const ConstraintRows& rows, int i, const Block& impulse, const Block& s, const Block& unit) {
  if (rows.kind[i] == LawKind::equality) return s;
  if (rows.kind[i] == LawKind::cone) {
    const Vector3d lambda = impulse.template head<3>(), step = s.template head<3>();
    if (std::isinf(rows.mu[i])) return stepToCoulomb(lambda, step, rows.mu[i]);
    return stepToFrictionCone(lambda, step, rows.mu[i]);
  }
  Block result(impulse.size());
  for (int r = 0; r < impulse.size(); ++r) {
    const int row = rows.offset(i) + r;
    const double lower = rows.lower[row] * unit[r], upper = rows.upper[row] * unit[r], x = impulse[r] - s[r];
    result[r] = x < lower ? impulse[r] - lower : x > upper ? impulse[r] - upper : s[r];
  }
  return result;
}

// Distance of an impulse from its admissible set.
template <class Block>
double calcViolation(const ConstraintRows& rows, int i, const VectorXd& lambda) {
  const Block impulse = impulseOf<Block>(rows, i, lambda);
  return (impulse - projectImpulse(rows, i, impulse, unitOf<Block>(rows, i))).norm();
}

// ‖q_i‖ as far as the law can see it: a frictionless contact does not feel sliding.
template <class Block>
double dataSpeed(const ConstraintRows& rows, int i, const Block& q) {
  const bool frictionless = rows.kind[i] == LawKind::cone && rows.mu[i] == 0.0;
  return frictionless ? std::abs(q[0]) : q.norm();
}

// Whether the free motion alone would violate the law.
template <class Block>
bool closes(const ConstraintRows& rows, int i, const Block& q) {
  switch (rows.kind[i]) {
    case LawKind::equality:
    case LawKind::box: return true;
    case LawKind::unilateral: return q.minCoeff() < 0.0;
    case LawKind::cone: return q[0] < 0.0;
  }
  return true;
}

void markNotFinite(const ConstraintRows& rows, const VectorXd& lambda, Certificate& certificate) {
  certificate = Certificate{};
  certificate.relative = certificate.absolute_velocity = certificate.absolute_impulse = kInfinity;
  certificate.field_raw = certificate.field_equilibrated = kInfinity;
  certificate.cone_violation = kInfinity;
  certificate.blocks.resize(rows.blockCount());
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (lambda.segment(rows.offset(i), rows.size(i)).allFinite()) continue;
    certificate.blocks[i] = {kInfinity, kInfinity, kInfinity, 0.0};
    if (certificate.worst_block < 0) certificate.worst_block = i;
  }
  if (certificate.worst_block < 0) certificate.worst_block = 0;
}

}  // namespace

bool BlockResidual::atFloor() const { return velocity <= kRoundingFloor * std::max(1.0, reference); }

bool Certificate::solved(double tolerance) const {
  if (relative <= tolerance) return true;
  return std::isfinite(relative) && std::ranges::all_of(blocks, [&](const BlockResidual& block) {
           return block.relative <= tolerance || block.atFloor();
         });
}

double Certificate::relativeAboveFloor() const {
  double worst = std::isfinite(relative) ? 0.0 : relative;
  for (const BlockResidual& block : blocks) {
    if (!block.atFloor()) worst = std::max(worst, block.relative);
  }
  return worst;
}

Certifier::Certifier(const ContactProblem& problem, FrictionModel model) { reset(problem, model); }

Certifier::Certifier(const DelassusProblem& problem, FrictionModel model) { reset(problem, model); }

void Certifier::reset(const ContactProblem& problem, FrictionModel model) {
  if (const int bad = mass_.factor(problem.M); bad >= 0) {
    throw std::invalid_argument(fmt::format("mass block {} is not positive definite", bad));
  }
  velocity_form_ = &problem;
  delassus_form_ = nullptr;
  rows_ = &problem.rows;
  bias_ = &problem.bias;
  model_ = model;
  const BlockSparseMatrix& J = problem.J;
  diagonal_.setZero(rows_->rowCount());
  for (int i = 0; i < rows_->blockCount(); ++i) {
    for (int k = J.begin(i); k < J.end(i); ++k) {
      // With M = L Lᵀ the diagonal is made of the squared rows of J L⁻ᵀ.
      const auto J_ik = J.block(i, k);
      buffer_.resize(static_cast<std::size_t>(J_ik.size()));
      Eigen::Map<MatrixXd> Y(buffer_.data(), J_ik.rows(), J_ik.cols());
      Y = J_ik;
      mass_.solveFromRightInPlace(J.column(k), Y);
      diagonal_.segment(rows_->offset(i), rows_->size(i)) += Y.rowwise().squaredNorm();
    }
  }
  setScale();
  islands_.split(J);
  J.multiply(problem.v_free, q_);
  q_ += *bias_;
}

void Certifier::reset(const DelassusProblem& problem, FrictionModel model) {
  velocity_form_ = nullptr;
  delassus_form_ = &problem;
  rows_ = &problem.rows;
  bias_ = &problem.bias;
  model_ = model;
  diagonal_.resize(rows_->rowCount());
  for (int i = 0; i < rows_->blockCount(); ++i) {
    const auto W_ii = problem.W.block(i, problem.W.findBlock(i, i));
    diagonal_.segment(rows_->offset(i), rows_->size(i)) = W_ii.diagonal();
  }
  setScale();
  islands_.split(problem.W);
  q_ = problem.q;
  v_.resize(0);
}

// Effective masses (CERT-2) and the mean diagonal from the diagonal of J M⁻¹Jᵀ.
void Certifier::setScale() {
  rho_.assign(rows_->blockCount(), 1.0);
  mean_diagonal_ = 1.0;
  double trace = 0.0;
  for (int i = 0; i < rows_->blockCount(); ++i) {
    double sum = 0.0;
    for (int row = rows_->offset(i); row < rows_->offset(i) + rows_->size(i); ++row) {
      const double entry = diagonal_[row] + rows_->compliance[row];
      trace += entry;
      sum += rows_->lever[row] * rows_->lever[row] * entry;
    }
    // A block without any compliance cannot be moved: the unit of its residual is arbitrary.
    if (sum > 0.0) rho_[i] = rows_->size(i) / sum;
  }
  if (trace > 0.0) mean_diagonal_ = trace / rows_->rowCount();
}

void Certifier::calcVelocities(const VectorXd& lambda) {
  if (velocity_form_ != nullptr) {
    velocity_form_->J.multiplyTransposed(lambda, v_);
    mass_.solveInPlace(v_);
    v_ += velocity_form_->v_free;
    velocity_form_->J.multiply(v_, u_);
    u_ += *bias_;
  } else {
    delassus_form_->W.multiply(lambda, u_);
    u_ += q_;
  }
  for (int row = 0; row < rows_->rowCount(); ++row) u_[row] += rows_->compliance[row] * lambda[row];
}

void Certifier::measure(const VectorXd& lambda, Certificate& certificate) {
  if (lambda.size() != rows_->rowCount()) {
    throw std::invalid_argument(fmt::format("{} impulses were given for a problem of {} rows",
                                            lambda.size(), rows_->rowCount()));
  }
  calcVelocities(lambda);
  if (!lambda.allFinite() || !u_.allFinite()) {
    markNotFinite(*rows_, lambda, certificate);
    return;
  }
  certificate.blocks.resize(rows_->blockCount());
  calcReferences(lambda, certificate);
  calcResiduals(lambda, certificate);
  certificate.field_equilibrated = calcFieldMeasure(lambda, mean_diagonal_);
  // Norms of finite numbers may overflow; what cannot be measured is not solved.
  const bool measured = std::isfinite(certificate.max_speed) &&
                        std::isfinite(certificate.absolute_velocity) &&
                        std::isfinite(certificate.field_equilibrated);
  if (!measured) markNotFinite(*rows_, lambda, certificate);
}

void Certifier::certify(const VectorXd& lambda, Certificate& certificate) {
  measure(lambda, certificate);
  complete(lambda, certificate);
}

void Certifier::complete(const VectorXd& lambda, Certificate& certificate) const {
  if (!std::isfinite(certificate.relative)) return;
  certificate.field_raw = calcFieldMeasure(lambda, 1.0);
  if (!std::isfinite(certificate.field_raw)) return markNotFinite(*rows_, lambda, certificate);
  calcConeViolation(lambda, certificate);
  calcEnergy(lambda, certificate);
}

// v_ref of every island (CERT-3), and the largest speed.
void Certifier::calcReferences(const VectorXd& lambda, Certificate& certificate) {
  reference_.assign(islands_.count(), 0.0);
  fallback_.assign(islands_.count(), 0.0);
  certificate.max_speed = 0.0;
  for (int i = 0; i < rows_->blockCount(); ++i) {
    if (isCone(*rows_, i)) {
      addReference<Vector3d>(i, lambda, certificate);
    } else {
      addReference<AnyBlock>(i, lambda, certificate);
    }
  }
  for (int k = 0; k < islands_.count(); ++k) {
    if (reference_[k] == 0.0) reference_[k] = fallback_[k];
  }
}

template <class Block>
void Certifier::addReference(int i, const VectorXd& lambda, Certificate& certificate) {
  const Block q = velocityOf<Block>(*rows_, i, q_);
  const Block u = velocityOf<Block>(*rows_, i, u_);
  const Block impulse = impulseOf<Block>(*rows_, i, lambda);
  certificate.max_speed = std::max({certificate.max_speed, q.norm(), u.norm()});
  const bool closing = closes(*rows_, i, q);
  if (impulse.isZero(0.0) && !closing) return;
  const double carried = impulse.norm() / rho_[i];
  const double speed = dataSpeed(*rows_, i, q);
  double& reference = reference_[islands_.ofRow()[i]];
  double& fallback = fallback_[islands_.ofRow()[i]];
  reference = std::max(reference, closing ? speed : std::min(speed, carried));
  if (rows_->kind[i] == LawKind::box) {  // an impulse that must be given moves what rests
    const Block nothing = Block::Zero(impulse.size());
    reference = std::max(reference, projectImpulse(*rows_, i, nothing, unitOf<Block>(*rows_, i)).norm() / rho_[i]);
  }
  fallback = std::max(fallback, dataSpeed(*rows_, i, u));
}

void Certifier::calcResiduals(const VectorXd& lambda, Certificate& certificate) {
  certificate.relative = certificate.absolute_velocity = certificate.absolute_impulse = 0.0;
  certificate.worst_block = rows_->blockCount() > 0 ? 0 : -1;
  for (int i = 0; i < rows_->blockCount(); ++i) {
    if (isCone(*rows_, i)) {
      addResidual<Vector3d>(i, lambda, certificate);
    } else {
      addResidual<AnyBlock>(i, lambda, certificate);
    }
  }
}

template <class Block>
void Certifier::addResidual(int i, const VectorXd& lambda, Certificate& certificate) const {
  const Block unit = unitOf<Block>(*rows_, i);
  const Block impulse = impulseOf<Block>(*rows_, i, lambda);
  const Block u = velocityOf<Block>(*rows_, i, u_);
  const Block u_hat = complementaryVelocity(*rows_, model_, i, u);
  Block R = stepToLaw<Block>(*rows_, i, impulse, rho_[i] * u_hat, unit);
  if (isCone(*rows_, i) && model_ == FrictionModel::coulomb) {
    const Vector3d step = (rho_[i] * u).template head<3>();
    const Block cascaded = stepToCoulomb(impulse.template head<3>(), step, rows_->mu[i]);
    if (cascaded.squaredNorm() > R.squaredNorm()) R = cascaded;
  }
  BlockResidual& residual = certificate.blocks[i];
  residual.reference = reference_[islands_.ofRow()[i]];
  residual.impulse = R.norm();
  residual.velocity = (R / rho_[i]).norm();
  residual.relative = residual.reference > 0.0 ? residual.velocity / residual.reference : 0.0;
  if (residual.relative > certificate.relative) {
    certificate.relative = residual.relative;
    certificate.worst_block = i;
  }
  if (std::isnan(residual.velocity)) residual.velocity = kInfinity;
  certificate.absolute_velocity = std::max(certificate.absolute_velocity, residual.velocity);
  certificate.absolute_impulse = std::max(certificate.absolute_impulse, residual.impulse);
}

// Largest distance of an impulse from its admissible set.
void Certifier::calcConeViolation(const VectorXd& lambda, Certificate& certificate) const {
  certificate.cone_violation = 0.0;
  for (int i = 0; i < rows_->blockCount(); ++i) {
    const double violation = isCone(*rows_, i) ? calcViolation<Vector3d>(*rows_, i, lambda)
                                               : calcViolation<AnyBlock>(*rows_, i, lambda);
    certificate.cone_violation = std::max(certificate.cone_violation, violation);
  }
}

// (CERT-4) with u and q divided by d; levers play no part.
double Certifier::calcFieldMeasure(const VectorXd& lambda, double d) const {
  double squared = 0.0;
  for (int i = 0; i < rows_->blockCount(); ++i) {
    squared += isCone(*rows_, i) ? fieldTerm<Vector3d>(i, lambda, d) : fieldTerm<AnyBlock>(i, lambda, d);
  }
  const double size = std::max({q_.norm() / d, lambda.norm(), u_.norm() / d});
  const bool tiny = size <= std::numeric_limits<double>::epsilon();
  return std::sqrt(squared) / (tiny ? 1.0 : size);
}

template <class Block>
double Certifier::fieldTerm(int i, const VectorXd& lambda, double d) const {
  const Block impulse = rowsOf<Block>(*rows_, i, lambda.data());
  const Block u = rowsOf<Block>(*rows_, i, u_.data()) / d;
  const Block unconstrained = impulse - complementaryVelocity(*rows_, model_, i, u);
  const Block ones = Block::Ones(rows_->size(i));
  return (impulse - projectImpulse(*rows_, i, unconstrained, ones)).squaredNorm();
}

void Certifier::calcEnergy(const VectorXd& lambda, Certificate& certificate) const {
  EnergyTerms& energy = certificate.energy;
  energy = {};
  for (int i = 0; i < rows_->blockCount(); ++i) {
    for (int r = 0; r < rows_->size(i); ++r) {
      const int row = rows_->offset(i) + r;
      const double work = lambda[row] * u_[row];
      const bool tangential = rows_->kind[i] == LawKind::cone && r > 0;
      const bool normal = rows_->kind[i] == LawKind::cone || rows_->kind[i] == LawKind::unilateral;
      (tangential ? energy.tangential_work : normal ? energy.normal_work : energy.constraint_work) +=
          work;
      energy.kinetic_change += 0.5 * lambda[row] * (u_[row] + q_[row]) - lambda[row] * (*bias_)[row] -
                               0.5 * rows_->compliance[row] * lambda[row] * lambda[row];
    }
  }
}

Certificate certify(const ContactProblem& problem, const VectorXd& lambda, FrictionModel model) {
  Certificate certificate;
  Certifier(problem, model).certify(lambda, certificate);
  return certificate;
}

Certificate certify(const DelassusProblem& problem, const VectorXd& lambda, FrictionModel model) {
  Certificate certificate;
  Certifier(problem, model).certify(lambda, certificate);
  return certificate;
}

}  // namespace cornet
