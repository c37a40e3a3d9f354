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
  for (std::size_t k = 0; k < rows.bodies.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(6 * k);
    if (bodies_[rows.bodies[k]].tree >= 0) moving += rows.J.row(row).segment<6>(column).squaredNorm();
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
  const int first = addUnilateral({rows.bodies, rows.J.topRows(1), rows.bias.head(1)}, origin);
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
  trees_.clear();
  for (const int body : rows.bodies) {  // ascending, each once
    const int tree = bodies_[body].tree;
    const auto place = std::ranges::find_if(trees_, [&](int other) { return other >= tree; });
    if (tree >= 0 && (place == trees_.end() || *place != tree)) trees_.insert(place, tree);
  }
  for (const int tree : trees_) problem_->J.appendBlock(tree);
  for (int r = 0; r < rows.count(); ++r) bias_.push_back(rows.bias[r]);
  for (std::size_t k = 0; k < rows.bodies.size(); ++k) addJacobian(rows, block, static_cast<int>(k));
  const int first = problem_->rows.offset(block);
  for (int r = 0; r < rows.count(); ++r) problem_->rows.lever[first + r] = calcLever(rows, r);
  return first;
}

// Adds the columns of one body to its tree's block, or its velocity to the bias.
void RowBuilder::addJacobian(const BodyRows& rows, int block, int member) {
  const BodyInProblem& info = bodies_[rows.bodies[static_cast<std::size_t>(member)]];
  const auto J = rows.J.middleCols<6>(6 * member);
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
  for (std::size_t k = 0; k < rows.bodies.size(); ++k) {
    if (!rows.J.row(row).segment<3>(static_cast<Eigen::Index>(6 * k)).isZero(0.0)) return 1.0;
    const BodyInProblem& body = bodies_[rows.bodies[k]];
    if (body.tree >= 0) radius = std::min(radius, body.radius);
  }
  return radius < std::numeric_limits<double>::infinity() ? radius : 1.0;
}

void RowBuilder::finish() {
  problem_->bias = Eigen::Map<const VectorXd>(bias_.data(), static_cast<Eigen::Index>(bias_.size()));
}

}  // namespace cornet
