#include "cornet/constraints/row_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cornet {

void RowBuilder::reset(std::span<const BodyInProblem> bodies, AssemblyLevel level,
                       ContactProblem& problem) {
  bodies_ = bodies;
  level_ = level;
  problem_ = &problem;
  problem.rows.clear();
  problem.J.reset(problem.M.offsets());
  bias_.clear();
}

bool RowBuilder::constrains(const BodyRows& rows, int row, double size) const {
  constexpr double kRounding = 1e-13;
  double moving = 0.0;
  for (int side = 0; side < (rows.body_b < 0 ? 1 : 2); ++side) {
    const BodyInProblem& body = bodies_[side == 0 ? rows.body_a : rows.body_b];
    if (body.tree >= 0) moving += rows.J.row(row).segment<6>(6 * side).squaredNorm();
  }
  return std::sqrt(moving) > kRounding * size;
}

int RowBuilder::addEquality(const BodyRows& rows, Origin origin) {
  return addRows(rows, problem_->rows.addEquality(rows.count(), origin));
}

int RowBuilder::addUnilateral(const BodyRows& rows, Origin origin) {
  return addRows(rows, problem_->rows.addUnilateral(rows.count(), origin));
}

int RowBuilder::addBox(const BodyRows& rows, const LambdaBounds& bounds, Origin origin, double compliance,
                       double share) {
  double lower[BodyRows::kMax];
  double upper[BodyRows::kMax];
  std::fill_n(lower, BodyRows::kMax, bounds.lower);
  std::fill_n(upper, BodyRows::kMax, bounds.upper);
  const auto count = static_cast<std::size_t>(rows.count());
  const int first = addRows(rows, problem_->rows.addBox({lower, count}, {upper, count}, origin));
  for (int r = 0; r < rows.count(); ++r) {
    problem_->rows.compliance[first + r] = compliance;
    problem_->rows.lever[first + r] *= share;
  }
  return first;
}

int RowBuilder::addCone(const BodyRows& rows, double mu, Origin origin, std::uint64_t key) {
  if (mu > 0.0) {
    const int first = addRows(rows, problem_->rows.addCone(mu, origin));
    problem_->rows.key.back() = key;
    return first;
  }
  BodyRows normal;
  normal.body_a = rows.body_a;
  normal.body_b = rows.body_b;
  normal.J = rows.J.topRows(1);
  normal.bias = rows.bias.head(1);
  const int first = addUnilateral(normal, origin);
  problem_->rows.key.back() = key;
  return first;
}

int RowBuilder::addTreeRow(const TreeRows& row, Origin origin) {
  ConstraintRows& rows = problem_->rows;
  const double lower = row.impulse.lower, upper = row.impulse.upper;
  const int block = row.kind == LawKind::equality     ? rows.addEquality(1, origin)
                    : row.kind == LawKind::unilateral ? rows.addUnilateral(1, origin)
                                                      : rows.addBox({&lower, 1}, {&upper, 1}, origin);
  problem_->J.appendRow(1);
  problem_->J.block(block, problem_->J.appendBlock(row.tree)) = row.g.transpose();
  bias_.push_back(row.bias);
  const int first = rows.offset(block);
  rows.compliance[first] = row.compliance;
  rows.lever[first] = row.share;
  return first;
}

int RowBuilder::addRows(const BodyRows& rows, int block) {
  problem_->J.appendRow(rows.count());
  int tree_a = bodies_[rows.body_a].tree;
  int tree_b = rows.body_b < 0 ? -1 : bodies_[rows.body_b].tree;
  const int first_tree = std::min(tree_a, tree_b) < 0 ? std::max(tree_a, tree_b)
                                                      : std::min(tree_a, tree_b);
  const int last_tree = std::max(tree_a, tree_b);
  if (first_tree >= 0) problem_->J.appendBlock(first_tree);
  if (last_tree > first_tree) problem_->J.appendBlock(last_tree);
  for (int r = 0; r < rows.count(); ++r) bias_.push_back(rows.bias[r]);
  addJacobian(rows, block, rows.body_a, 0);
  if (rows.body_b >= 0) addJacobian(rows, block, rows.body_b, 6);
  const int first = problem_->rows.offset(block);
  for (int r = 0; r < rows.count(); ++r) problem_->rows.lever[first + r] = calcLever(rows, r);
  return first;
}

// Adds the columns of one body to its tree's block, or its velocity to the bias.
void RowBuilder::addJacobian(const BodyRows& rows, int block, int body, int column) {
  const BodyInProblem& info = bodies_[body];
  const auto J = rows.J.middleCols<6>(column);
  if (info.tree < 0) {
    if (level_ == AssemblyLevel::acceleration) return;
    const int first = problem_->rows.offset(block);
    for (int r = 0; r < rows.count(); ++r) {
      bias_[first + r] += J.row(r).head<3>().dot(info.state.velocity) +
                          J.row(r).tail<3>().dot(info.state.omega);
    }
    return;
  }
  auto target = problem_->J.block(block, problem_->J.findBlock(block, info.tree));
  if (info.jacobian == nullptr) {
    target += J;
  } else {
    target.noalias() += J * *info.jacobian;
  }
}

// A row of angular velocities alone counts with the smallest radius of the bodies it turns.
double RowBuilder::calcLever(const BodyRows& rows, int row) const {
  double radius = std::numeric_limits<double>::infinity();
  for (int side = 0; side < (rows.body_b < 0 ? 1 : 2); ++side) {
    if (!rows.J.row(row).segment<3>(6 * side).isZero(0.0)) return 1.0;
    const BodyInProblem& body = bodies_[side == 0 ? rows.body_a : rows.body_b];
    if (body.tree >= 0) radius = std::min(radius, body.radius);
  }
  return radius < std::numeric_limits<double>::infinity() ? radius : 1.0;
}

void RowBuilder::finish() {
  problem_->bias = Eigen::Map<const VectorXd>(bias_.data(), static_cast<Eigen::Index>(bias_.size()));
}

}  // namespace cornet
