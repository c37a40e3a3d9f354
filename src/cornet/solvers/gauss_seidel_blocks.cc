#include "cornet/solvers/gauss_seidel_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/QR>

#include "cornet/math/block_kernels.h"
#include "cornet/math/convex_contact.h"

namespace cornet::gauss_seidel {
namespace {

constexpr int kMaxRows = ConstraintRows::kMaxBlockRows;

// (GS-3)
constexpr double kMomentum = 0.85;
constexpr double kDamping = 0.5;

void addCompliance(const ConstraintRows& laws, int i, const VectorXd& lambda, double* u) {
  for (int r = 0; r < laws.size(i); ++r) {
    const int row = laws.offset(i) + r;
    u[r] += laws.compliance[row] * lambda[row];
  }
}

}  // namespace

void DelassusRows::reset(const DelassusProblem& problem) {
  problem_ = &problem;
  cones_only_ = std::ranges::all_of(problem.rows.kind,
                                    [](LawKind kind) { return kind == LawKind::cone; });
}

SmallMatrix DelassusRows::diagonalBlock(int i) const {
  const ConstraintRows& laws = problem_->rows;
  SmallMatrix A = problem_->W.block(i, problem_->W.findBlock(i, i));
  for (int r = 0; r < laws.size(i); ++r) A(r, r) += laws.compliance[laws.offset(i) + r];
  return A;
}

void DelassusRows::calcVelocity(int i, const VectorXd& lambda, double* u) const {
  const BlockSparseMatrix& W = problem_->W;
  const int rows = W.rowSize(i);
  std::copy_n(problem_->q.data() + W.rowOffset(i), rows, u);
  if (cones_only_) {
    kernels::RowSum3 sum;
    const double* block = W.blockData(W.begin(i));
    for (int k = W.begin(i); k < W.end(i); ++k, block += 9) {
      sum.add(block, lambda.data() + 3 * W.column(k));
    }
    sum.addTo(u);
  } else {
    for (int k = W.begin(i); k < W.end(i); ++k) {
      const int j = W.column(k);
      kernels::addProduct(rows, W.columnSize(j), W.blockData(k),
                          lambda.data() + W.columnOffset(j), u);
    }
  }
  addCompliance(problem_->rows, i, lambda, u);
}

void VelocityRows::reset(const ContactProblem& problem) {
  problem_ = &problem;
  v_ = problem.v_free;
  const BlockSparseMatrix& J = problem.J;
  mass_.factor(problem.M);
  Y_.resize(J.values().size());
  Y_start_.clear();
  Eigen::Index start = 0;
  for (int i = 0; i < J.rowBlockCount(); ++i) {
    for (int k = J.begin(i); k < J.end(i); ++k) {
      Eigen::Map<MatrixXd> Y_k(Y_.data() + start, J.columnSize(J.column(k)), J.rowSize(i));
      Y_k = J.block(i, k).transpose();
      mass_.solveBlockInPlace(J.column(k), Y_k);
      Y_start_.push_back(start);
      start += Y_k.size();
    }
  }
}

SmallMatrix VelocityRows::diagonalBlock(int i) const {
  const BlockSparseMatrix& J = problem_->J;
  const ConstraintRows& laws = problem_->rows;
  SmallMatrix A = SmallMatrix::Zero(laws.size(i), laws.size(i));
  for (int r = 0; r < laws.size(i); ++r) A(r, r) = laws.compliance[laws.offset(i) + r];
  for (int k = J.begin(i); k < J.end(i); ++k) {
    const Eigen::Map<const MatrixXd> Y_k(Y_.data() + Y_start_[k], J.columnSize(J.column(k)),
                                         J.rowSize(i));
    A.noalias() += J.block(i, k) * Y_k;
  }
  return A;
}

void VelocityRows::calcVelocity(int i, const VectorXd& lambda, double* u) const {
  const BlockSparseMatrix& J = problem_->J;
  const int rows = J.rowSize(i);
  std::copy_n(problem_->bias.data() + J.rowOffset(i), rows, u);
  for (int k = J.begin(i); k < J.end(i); ++k) {
    const int j = J.column(k);
    kernels::addBlockProduct(rows, J.columnSize(j), J.blockData(k), v_.data() + J.columnOffset(j),
                             u);
  }
  addCompliance(problem_->rows, i, lambda, u);
}

void VelocityRows::apply(int i, const double* change) {
  const BlockSparseMatrix& J = problem_->J;
  for (int k = J.begin(i); k < J.end(i); ++k) {
    const int j = J.column(k);
    kernels::addBlockProduct(J.columnSize(j), J.rowSize(i), Y_.data() + Y_start_[k], change,
                             v_.data() + J.columnOffset(j));
  }
}

void LocalSolver::clear(const ConstraintRows& laws, FrictionModel model) {
  laws_ = &laws;
  model_ = model;
  slot_.clear();
  cones_.clear();
  dense_.clear();
}

void LocalSolver::addBlock(int i, const SmallMatrix& A) {
  switch (laws_->kind[i]) {
    case LawKind::cone:
      slot_.push_back(static_cast<int>(cones_.size()));
      cones_.push_back({A, CoulombContact(A, laws_->mu[i]), laws_->mu[i]});
      return;
    case LawKind::equality:
      slot_.push_back(static_cast<int>(dense_.size()));
      dense_.push_back({A, A.completeOrthogonalDecomposition().pseudoInverse()});
      return;
    case LawKind::unilateral:
    case LawKind::box:
      slot_.push_back(static_cast<int>(dense_.size()));
      dense_.push_back({A, {}});
      return;
  }
}

void LocalSolver::damp(double share) {
  for (Cone& cone : cones_) {
    cone.added = share * cone.A.trace() / 3.0;
    cone.contact = CoulombContact(cone.A + cone.added * Matrix3d::Identity(), cone.mu);
  }
  for (Dense& block : dense_) {
    const auto size = block.A.rows();
    block.added = share * block.A.trace() / static_cast<double>(std::max<Eigen::Index>(size, 1));
    if (block.inverse.size() == 0) continue;
    const SmallMatrix damped = block.A + block.added * SmallMatrix::Identity(size, size);
    block.inverse = damped.completeOrthogonalDecomposition().pseudoInverse();
  }
}

void LocalSolver::solveCone(int i, const double* u, double* impulse) const {
  const Cone& cone = cones_[slot_[i]];
  const double* A = cone.A.data();
  Vector3d q;
  for (int r = 0; r < 3; ++r) {
    q[r] = u[r] - ((A[r] * impulse[0] + A[3 + r] * impulse[1]) + A[6 + r] * impulse[2]) - cone.added * impulse[r];
  }
  Vector3d lambda;
  if (model_ == FrictionModel::coulomb) {
    cone.contact.solve(q, lambda);
  } else {
    solveConvexContact(cone.A + cone.added * Matrix3d::Identity(), q, cone.mu, lambda);
  }
  std::copy_n(lambda.data(), 3, impulse);
}

void LocalSolver::solveEquality(int i, const double* u, double* impulse) const {
  const SmallMatrix& inverse = dense_[slot_[i]].inverse;
  const int rows = laws_->size(i);
  for (int c = 0; c < rows; ++c) {
    for (int r = 0; r < rows; ++r) impulse[r] -= inverse(r, c) * u[c];
  }
}

// Row by row: the impulse that stops the row, held within its bounds.
void LocalSolver::solveBounded(int i, const double* u, double* impulse) const {
  const Dense& block = dense_[slot_[i]];
  const SmallMatrix& A = block.A;
  const int rows = laws_->size(i);
  double velocity[kMaxRows];
  std::copy_n(u, rows, velocity);
  for (int r = 0; r < rows; ++r) {
    if (!(A(r, r) > 0.0)) continue;
    const int row = laws_->offset(i) + r;
    const double stopping = impulse[r] - velocity[r] / (A(r, r) + block.added);
    const double next = std::clamp(stopping, laws_->lower[row], laws_->upper[row]);
    const double change = next - impulse[r];
    impulse[r] = next;
    for (int s = r + 1; s < rows; ++s) velocity[s] += A(s, r) * change;
  }
}

void calcSweepWeights(const Certifier& certifier, const Certificate& certificate,
                      std::vector<double>& weight) {
  weight.resize(certificate.blocks.size());
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const double reference = certificate.blocks[i].reference;
    weight[i] = reference > 0.0 ? 1.0 / (certifier.effectiveMass()[i] * reference) : 0.0;
  }
}

template <class Rows>
double Sweeper<Rows>::sweep(std::span<const double> weight, VectorXd& lambda) {
  const ConstraintRows& laws = *laws_;
  double u[kMaxRows];
  double before[kMaxRows];
  double largest = 0.0;
  double sum = 0.0;
  for (int i = 0; i < laws.blockCount(); ++i) {
    const int size = laws.size(i);
    double* impulse = lambda.data() + laws.offset(i);
    std::copy_n(impulse, size, before);
    rows_.calcVelocity(i, lambda, u);
    local_.solve(i, u, impulse);
    double squared = 0.0;
    for (int r = 0; r < size; ++r) {
      before[r] = impulse[r] - before[r];  // from here on the change
      squared += before[r] * before[r];
    }
    if (squared == 0.0) continue;
    sum += squared;
    rows_.apply(i, before);
    if (!weight.empty()) largest = std::max(largest, squared * weight[i] * weight[i]);
  }
  return std::isfinite(sum) ? std::sqrt(largest) : std::numeric_limits<double>::infinity();
}

template <class Rows>
double Sweeper<Rows>::sweepWithMomentum(std::span<const double> weight, VectorXd& lambda) {
  VectorXd& v = rows_.velocity();
  if (!has_momentum_) {
    local_.damp(kDamping);
    has_momentum_ = true;
    stop(lambda);
  }
  // Old and new change places, the new one goes on.
  last_lambda_.swap(lambda);
  last_v_.swap(v);
  lambda = last_lambda_ + kMomentum * (last_lambda_ - lambda);
  v = last_v_ + kMomentum * (last_v_ - v);
  return sweep(weight, lambda);
}

template <class Rows>
void Sweeper<Rows>::stop(const VectorXd& lambda) {
  last_lambda_ = lambda;
  last_v_ = rows_.velocity();
}

template <class Rows>
void Sweeper<Rows>::restart() {
  if (has_momentum_) local_.damp(0.0);
  has_momentum_ = false;
}

template class Sweeper<DelassusRows>;
template class Sweeper<VelocityRows>;

}  // namespace cornet::gauss_seidel
