#include "cornet/solvers/active_set/polygon_friction.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet::active_set {

FrictionPolygon makeFrictionPolygon(ConeApproximation model, int faces) {
  FrictionPolygon polygon;
  if (model == ConeApproximation::box || model == ConeApproximation::scaled_box) {
    polygon.segment = {Vector2d::UnitX(), Vector2d::UnitY()};
    polygon.half_width = model == ConeApproximation::box ? 1.0 : 1.0 / std::numbers::sqrt2;
    return polygon;
  }
  const int corners = model == ConeApproximation::pyramid ? 4 : faces;
  constexpr int kMostCorners = 1000;  // closer to the circle than 5e-6
  if (corners < 4 || corners > kMostCorners || corners % 2 != 0) {
    throw std::invalid_argument(fmt::format(
        "active_set option faces = {}: expected an even number from 4 to {}", faces, kMostCorners));
  }
  for (int k = 0; k < corners / 2; ++k) {
    const double angle = std::numbers::pi * ((2.0 * k + 1.0) / corners + 0.5);
    polygon.segment.emplace_back(std::cos(angle), std::sin(angle));
  }
  polygon.half_width = std::sin(std::numbers::pi / corners);
  return polygon;
}

PolygonProblem::PolygonProblem(const DelassusProblem& problem, const FrictionPolygon& polygon)
    : polygon_(polygon), rows_(problem.rows.rowCount()) {
  addRows(problem);
  addMatrix(problem);
}

// Blocks of the expanded problem: what has no friction is copied, a cone becomes its normal and boxes.
void PolygonProblem::addRows(const DelassusProblem& problem) {
  const ConstraintRows& rows = problem.rows;
  ConstraintRows& out = expanded_.rows;
  const std::vector<double> zero(ConstraintRows::kMaxBlockRows, 0.0);
  for (int i = 0; i < rows.blockCount(); ++i) {
    first_block_.push_back(out.blockCount());
    const int row = rows.offset(i);
    const bool friction = rows.kind[i] == LawKind::cone && rows.mu[i] > 0.0;
    cone_of_block_.push_back(friction ? static_cast<int>(cones_.size()) : -1);
    if (!friction) {
      const int block = out.addCopy(rows, i);
      for (int r = 0; r < rows.size(i); ++r) {
        row_.push_back(row + r);
        expanded_row_.push_back(out.offset(block) + r);
      }
      continue;
    }
    cones_.push_back({row, out.rowCount(), rows.mu[i]});
    const int normal = out.addUnilateral(1, rows.origin[i]);
    out.compliance[out.offset(normal)] = rows.compliance[row];
    out.lever[out.offset(normal)] = rows.lever[row];
    for (int left = static_cast<int>(polygon_.segment.size()); left > 0;) {
      const auto count = static_cast<std::size_t>(std::min(left, ConstraintRows::kMaxBlockRows));
      out.addBox({zero.data(), count}, {zero.data(), count}, rows.origin[i]);
      left -= static_cast<int>(count);
    }
  }
  first_block_.push_back(out.blockCount());
}

// E of a block: λ = E a.
MatrixXd PolygonProblem::expansionOf(int block) const {
  const auto segments = static_cast<Eigen::Index>(polygon_.segment.size());
  if (cone_of_block_[block] < 0) {
    const int rows = expanded_.rows.size(first_block_[block]);
    return MatrixXd::Identity(rows, rows);
  }
  MatrixXd E = MatrixXd::Zero(3, 1 + segments);
  E(0, 0) = 1.0;
  for (Eigen::Index j = 0; j < segments; ++j) {
    E.block<2, 1>(1, 1 + j) = polygon_.segment[static_cast<std::size_t>(j)];
  }
  return E;
}

// EᵀWE and Eᵀq. Compliance of tangents is part of the matrix: it does not act segment by segment.
void PolygonProblem::addMatrix(const DelassusProblem& problem) {
  const ConstraintRows& out = expanded_.rows;
  MatrixXd W = MatrixXd::Zero(out.rowCount(), out.rowCount());
  VectorXd q(out.rowCount());
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    const MatrixXd E_i = expansionOf(i);
    const int row = out.offset(first_block_[i]);
    q.segment(row, E_i.cols()) =
        E_i.transpose() * problem.q.segment(problem.rows.offset(i), problem.rows.size(i));
    for (int k = problem.W.begin(i); k < problem.W.end(i); ++k) {
      const int j = problem.W.column(k);
      const MatrixXd E_j = expansionOf(j);
      MatrixXd block = problem.W.block(i, k);
      for (int r = 1; i == j && cone_of_block_[i] >= 0 && r < 3; ++r) {
        block(r, r) += problem.rows.compliance[problem.rows.offset(i) + r];
      }
      W.block(row, out.offset(first_block_[j]), E_i.cols(), E_j.cols()) =
          E_i.transpose() * block * E_j;
    }
  }
  expanded_ = makeDelassusProblem(std::move(expanded_.rows), W, q);
  expanded_.dt = problem.dt;
}

void PolygonProblem::setNormals(const VectorXd& normals) {
  const auto segments = static_cast<int>(polygon_.segment.size());
  for (std::size_t c = 0; c < cones_.size(); ++c) {
    const double normal = std::max(0.0, normals[static_cast<Eigen::Index>(c)]);
    const double bound = polygon_.half_width * cones_[c].mu * normal;
    for (int j = 1; j <= segments; ++j) {
      expanded_.rows.lower[cones_[c].first + j] = -bound;
      expanded_.rows.upper[cones_[c].first + j] = bound;
    }
  }
}

VectorXd PolygonProblem::normalsOf(const VectorXd& expanded) const {
  VectorXd normals(static_cast<Eigen::Index>(cones_.size()));
  for (std::size_t c = 0; c < cones_.size(); ++c) {
    normals[static_cast<Eigen::Index>(c)] = expanded[cones_[c].first];
  }
  return normals;
}

VectorXd PolygonProblem::expand(const VectorXd& lambda) const {
  VectorXd expanded(expanded_.rows.rowCount());
  for (std::size_t k = 0; k < row_.size(); ++k) expanded[expanded_row_[k]] = lambda[row_[k]];
  // Smallest coefficients: Σ e_j e_jᵀ = (N/4) I.
  const double share = 2.0 / static_cast<double>(polygon_.segment.size());
  for (const Cone& cone : cones_) {
    expanded[cone.first] = lambda[cone.row];
    for (std::size_t j = 0; j < polygon_.segment.size(); ++j) {
      expanded[cone.first + 1 + static_cast<int>(j)] =
          share * polygon_.segment[j].dot(lambda.segment<2>(cone.row + 1));
    }
  }
  return expanded;
}

VectorXd PolygonProblem::collapse(const VectorXd& expanded) const {
  VectorXd lambda = VectorXd::Zero(rows_);
  for (std::size_t k = 0; k < row_.size(); ++k) lambda[row_[k]] = expanded[expanded_row_[k]];
  for (const Cone& cone : cones_) {
    lambda[cone.row] = expanded[cone.first];
    for (std::size_t j = 0; j < polygon_.segment.size(); ++j) {
      lambda.segment<2>(cone.row + 1) +=
          expanded[cone.first + 1 + static_cast<int>(j)] * polygon_.segment[j];
    }
  }
  return lambda;
}

void PolygonProblem::collapse(Certificate& certificate) const {
  std::vector<BlockResidual> blocks;
  int worst = -1;
  for (std::size_t i = 0; i + 1 < first_block_.size(); ++i) {
    BlockResidual residual;
    for (int k = first_block_[i]; k < first_block_[i + 1]; ++k) {
      const BlockResidual& part = certificate.blocks[k];
      residual.relative = std::max(residual.relative, part.relative);
      residual.velocity = std::max(residual.velocity, part.velocity);
      residual.impulse = std::max(residual.impulse, part.impulse);
      residual.reference = std::max(residual.reference, part.reference);
      if (k == certificate.worst_block) worst = static_cast<int>(i);
    }
    blocks.push_back(residual);
  }
  certificate.worst_block = worst;
  certificate.blocks = std::move(blocks);
}

}  // namespace cornet::active_set
