#include "cornet/solvers/exact/scaled_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet::exact {
namespace {

// Above the first coefficient the cone is nearly a half-space and bad to scale by; the second stands
// for it: a contact that carries less friction than this sticks under both.
constexpr double kSteepCone = 1000.0;
constexpr double kStandIn = 100.0;

// Below this coefficient friction cannot be told from none in any digit.
constexpr double kNoFriction = 1e-30;

bool isKnown(const ConstraintRows& laws, int i, int r) {
  if (laws.kind[i] == LawKind::cone) return r > 0 && laws.mu[i] < kNoFriction;
  const int row = laws.offset(i) + r;
  return laws.kind[i] == LawKind::box && laws.lower[row] == laws.upper[row];
}

// The coefficient a cone is scaled with.
double scalingCoefficient(double mu, FrictionModel model) {
  return model == FrictionModel::coulomb && mu > kSteepCone ? kStandIn : mu;
}

double inverseRoot(double x) { return x > 0.0 && std::isfinite(x) ? 1.0 / std::sqrt(x) : 1.0; }

}  // namespace

// Which rows stay, and their laws; bounds are scaled later.
void ScaledProblem::chooseRows(const ConstraintRows& laws, FrictionModel model) {
  model_ = model;
  rows_.offset.assign(1, 0);
  rows_.is_cone.clear();
  rows_.mu.clear();
  block_.clear();
  source_.clear();
  slot_.assign(static_cast<std::size_t>(laws.blockCount()), -1);
  known_.setZero(laws.rowCount());
  has_known_ = false;
  for (int i = 0; i < laws.blockCount(); ++i) {
    for (int r = 0; r < laws.size(i); ++r) {
      const int row = laws.offset(i) + r;
      if (!isKnown(laws, i, r)) {
        source_.push_back(row);
      } else if (laws.kind[i] == LawKind::box) {
        known_[row] = laws.lower[row];
        has_known_ |= known_[row] != 0.0;
      }
    }
    const int count = static_cast<int>(source_.size());
    if (count == rows_.offset.back()) continue;
    const bool cone = laws.kind[i] == LawKind::cone && laws.mu[i] >= kNoFriction;
    slot_[i] = static_cast<int>(block_.size());
    block_.push_back(i);
    rows_.offset.push_back(count);
    rows_.is_cone.push_back(cone);
    rows_.mu.push_back(cone ? laws.mu[i] / scalingCoefficient(laws.mu[i], model) : 0.0);
  }
}

// S from the diagonal of J M⁻¹Jᵀ + R, one entry per row of the problem.
void ScaledProblem::setScale(const ConstraintRows& laws, const VectorXd& diagonal) {
  scale_.resize(rows_.rowCount());
  for (int i = 0; i < rows_.blockCount(); ++i) {
    const int begin = rows_.offset[i];
    if (!rows_.is_cone[i]) {
      for (int r = begin; r < rows_.offset[i + 1]; ++r) scale_[r] = inverseRoot(diagonal[source_[r]]);
      continue;
    }
    const double mu = scalingCoefficient(laws.mu[block_[i]], model_);
    const Vector3d d = diagonal.segment<3>(source_[begin]);
    const double sigma = inverseRoot((d[0] + mu * mu * (d[1] + d[2])) / 3.0);
    scale_.segment<3>(begin) = Vector3d(sigma, sigma * mu, sigma * mu);
  }
}

void ScaledProblem::setData(const ConstraintRows& laws, const VectorXd& q) {
  const int count = rows_.rowCount();
  rows_.c.resize(count);
  rows_.diagonal.resize(count);
  rows_.lower.resize(static_cast<std::size_t>(count));
  rows_.upper.resize(static_cast<std::size_t>(count));
  rows_.compliance.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < rows_.blockCount(); ++i) {
    const LawKind kind = laws.kind[block_[i]];
    for (int r = rows_.offset[i]; r < rows_.offset[i + 1]; ++r) {
      const int row = source_[r];
      const double s = scale_[r];
      rows_.c[r] = s * q[row];
      rows_.diagonal[r] = s * s * diagonal_[row];
      rows_.compliance[r] = s * s * laws.compliance[row];
      rows_.lower[r] = kind == LawKind::equality ? -kInfinity
                       : kind == LawKind::box    ? laws.lower[row] / s
                                                 : 0.0;
      rows_.upper[r] = kind == LawKind::box ? laws.upper[row] / s : kInfinity;
    }
  }
}

void ScaledProblem::reset(const DelassusProblem& problem, FrictionModel model) {
  velocity_form_ = false;
  const ConstraintRows& laws = problem.rows;
  const BlockSparseMatrix& W = problem.W;
  chooseRows(laws, model);
  diagonal_.resize(laws.rowCount());
  for (int i = 0; i < laws.blockCount(); ++i) {
    const auto W_ii = W.block(i, W.findBlock(i, i));
    for (int r = 0; r < laws.size(i); ++r) {
      diagonal_[laws.offset(i) + r] = W_ii(r, r) + laws.compliance[laws.offset(i) + r];
    }
  }
  setScale(laws, diagonal_);
  A_.reset(rows_.offset);
  for (int i = 0; i < rows_.blockCount(); ++i) {
    A_.appendRow(rows_.size(i));
    for (int k = W.begin(block_[i]); k < W.end(block_[i]); ++k) {
      const int j = slot_[W.column(k)];
      if (j < 0) continue;
      double* A_ij = A_.blockData(A_.appendBlock(j));
      const auto W_ij = W.block(block_[i], k);
      const int first_row = laws.offset(block_[i]);
      const int first_column = laws.offset(block_[j]);
      for (int c = rows_.offset[j]; c < rows_.offset[j + 1]; ++c) {
        for (int r = rows_.offset[i]; r < rows_.offset[i + 1]; ++r) {
          *A_ij++ = scale_[r] * W_ij(source_[r] - first_row, source_[c] - first_column) * scale_[c];
        }
      }
    }
  }
  if (has_known_) {
    W.multiply(known_, work_);
    work_ += problem.q;
    setData(laws, work_);
  } else {
    setData(laws, problem.q);
  }
}

void ScaledProblem::reset(const ContactProblem& problem, FrictionModel model) {
  velocity_form_ = true;
  const ConstraintRows& laws = problem.rows;
  const BlockSparseMatrix& J = problem.J;
  chooseRows(laws, model);
  mass_.factor(problem.M);
  diagonal_.resize(laws.rowCount());
  for (int row = 0; row < laws.rowCount(); ++row) diagonal_[row] = laws.compliance[row];

  // Rows of J L⁻ᵀ; their squares are the diagonal of J M⁻¹Jᵀ.
  B_.reset(J.columnOffsets());
  for (int i = 0; i < rows_.blockCount(); ++i) {
    B_.appendRow(rows_.size(i));
    const int first_row = laws.offset(block_[i]);
    for (int k = J.begin(block_[i]); k < J.end(block_[i]); ++k) {
      const int tree = J.column(k);
      const auto J_ik = J.block(block_[i], k);
      auto B_ik = B_.block(i, B_.appendBlock(tree));
      for (int r = 0; r < rows_.size(i); ++r) {
        B_ik.row(r) = J_ik.row(source_[rows_.offset[i] + r] - first_row);
      }
      mass_.solveFromRightInPlace(tree, B_ik);
      for (int r = 0; r < rows_.size(i); ++r) {
        diagonal_[source_[rows_.offset[i] + r]] += B_ik.row(r).squaredNorm();
      }
    }
  }
  setScale(laws, diagonal_);
  for (int i = 0; i < rows_.blockCount(); ++i) {
    const auto s = scale_.segment(rows_.offset[i], rows_.size(i));
    for (int k = B_.begin(i); k < B_.end(i); ++k) {
      auto B_ik = B_.block(i, k);
      for (int column = 0; column < B_ik.cols(); ++column) B_ik.col(column).array() *= s.array();
    }
  }

  listTouchingBlocks();
  if (has_known_) {
    J.multiplyTransposed(known_, velocity_);
    mass_.solveInPlace(velocity_);
    velocity_ += problem.v_free;
  } else {
    velocity_ = problem.v_free;
  }
  J.multiply(velocity_, work_);
  work_ += problem.bias;
  setData(laws, work_);
}

// Blocks of B by tree, rows ascending.
void ScaledProblem::listTouchingBlocks() {
  const int trees = B_.columnBlockCount();
  touching_begin_.assign(static_cast<std::size_t>(trees) + 1, 0);
  for (const int tree : B_.columns()) ++touching_begin_[tree + 1];
  for (int j = 0; j < trees; ++j) touching_begin_[j + 1] += touching_begin_[j];
  touching_row_.resize(B_.columns().size());
  touching_block_.resize(B_.columns().size());
  columns_.assign(touching_begin_.begin(), touching_begin_.end() - 1);  // next free place
  for (int i = 0; i < B_.rowBlockCount(); ++i) {
    for (int k = B_.begin(i); k < B_.end(i); ++k) {
      const int place = columns_[B_.column(k)]++;
      touching_row_[place] = i;
      touching_block_[place] = k;
    }
  }
}

double ScaledProblem::delassusBlockCount() const {
  if (!velocity_form_) return A_.blockCount();
  double count = 0.0;
  for (std::size_t j = 0; j + 1 < touching_begin_.size(); ++j) {
    const double touching = touching_begin_[j + 1] - touching_begin_[j];
    count += touching * touching;
  }
  return count;
}

void ScaledProblem::formDelassus() {
  A_.reset(rows_.offset);
  for (int i = 0; i < rows_.blockCount(); ++i) {
    columns_.assign(1, i);
    for (int k = B_.begin(i); k < B_.end(i); ++k) {
      const auto first = touching_row_.begin() + touching_begin_[B_.column(k)];
      columns_.insert(columns_.end(), first,
                      touching_row_.begin() + touching_begin_[B_.column(k) + 1]);
    }
    std::ranges::sort(columns_);
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    A_.appendRow(rows_.size(i));
    for (const int j : columns_) A_.appendBlock(j);
    for (int k = B_.begin(i); k < B_.end(i); ++k) {
      const int tree = B_.column(k);
      for (int t = touching_begin_[tree]; t < touching_begin_[tree + 1]; ++t) {
        const int j = touching_row_[t];
        auto A_ij = A_.block(i, A_.findBlock(i, j));
        A_ij.noalias() += B_.block(i, k).lazyProduct(B_.block(j, touching_block_[t]).transpose());
      }
    }
  }
}

void ScaledProblem::toScaled(const VectorXd& lambda, VectorXd& r) const {
  r.resize(rows_.rowCount());
  for (int row = 0; row < rows_.rowCount(); ++row) r[row] = lambda[source_[row]] / scale_[row];
}

void ScaledProblem::toImpulses(const VectorXd& r, VectorXd& lambda) const {
  lambda = known_;
  for (int row = 0; row < rows_.rowCount(); ++row) lambda[source_[row]] = r[row] * scale_[row];
}

}  // namespace cornet::exact
