#include "support/random_problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace cornet::test {
namespace {

class Generator {
 public:
  Generator(std::mt19937_64& random, const RandomProblemOptions& options)
      : random_(random), options_(options) {}

  ContactProblem make() {
    makeTrees();
    const int blocks = 1 + index(options_.max_blocks);
    for (int i = 0; i < blocks; ++i) {
      const bool repeats = i > 0 && chance(0.2);
      addLaw();
      addJacobian(repeats);
    }
    problem_.v_free = normal(problem_.dofCount());
    chooseBias();
    return std::move(problem_);
  }

 private:
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  bool chance(double p) { return uniform(0.0, 1.0) < p; }
  int index(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  VectorXd normal(Eigen::Index n) {
    std::normal_distribution<double> distribution;
    VectorXd x(n);
    for (double& entry : x) entry = distribution(random_);
    return x;
  }

  void makeTrees() {
    const int trees = 1 + index(4);
    std::vector<int> sizes;
    for (int j = 0; j < trees; ++j) sizes.push_back(chance(0.7) ? 6 : 1 + index(8));
    problem_.M = BlockDiagonalMatrix(sizes);
    const double spread = chance(0.5) ? 1.0 : options_.max_mass_ratio;
    for (int j = 0; j < trees; ++j) {
      const int n = sizes[j];
      MatrixXd root(n, n);
      for (int c = 0; c < n; ++c) root.col(c) = normal(n);
      problem_.M.block(j) = std::pow(spread, uniform(0.0, 1.0)) *
                            (MatrixXd::Identity(n, n) + 0.2 * root * root.transpose());
      const MatrixXd M_j = problem_.M.block(j);
      problem_.M.block(j) = 0.5 * (M_j + M_j.transpose());
    }
    problem_.J = BlockSparseMatrix(problem_.M.offsets());
  }

  void addLaw() {
    ConstraintRows& rows = problem_.rows;
    const double kind = options_.all_laws ? uniform(0.0, 1.0) : 0.0;
    if (kind < 0.6) {
      const bool frictionless = options_.all_laws && chance(0.1);
      const bool infinite = options_.all_laws && options_.infinite_friction && chance(0.05);
      const double mu = uniform(0.0, 1.0) * uniform(0.0, options_.max_mu);
      rows.addCone(frictionless ? 0.0 : infinite ? kInfinity : mu);
    } else if (kind < 0.75) {
      rows.addEquality(1 + index(6));
    } else if (kind < 0.87) {
      rows.addUnilateral(1 + index(3));
    } else {
      std::array<double, 3> lower{}, upper{};
      const int n = 1 + index(3);
      for (int r = 0; r < n; ++r) {
        lower[r] = chance(0.2) ? -kInfinity : uniform(-2.0, 0.5);
        const double width = chance(0.1) ? 0.0 : uniform(0.0, 2.0);
        upper[r] = chance(0.2) ? kInfinity : std::max(lower[r], -2.0) + width;
      }
      rows.addBox(std::span(lower).first(n), std::span(upper).first(n));
    }
    if (chance(0.1)) {
      const int block = rows.blockCount() - 1;
      for (int r = rows.offset(block); r < rows.rowCount(); ++r) rows.compliance[r] = uniform(0.0, 0.1);
    }
  }

  // Random rows on one or two trees; or, for redundancy, mixtures of the rows of the block before.
  void addJacobian(bool repeats) {
    const int rows = problem_.rows.size(problem_.rows.blockCount() - 1);
    BlockSparseMatrix& J = problem_.J;
    const int before = J.rowBlockCount() - 1;
    J.appendRow(rows);
    const int i = J.rowBlockCount() - 1;
    if (repeats && J.rowSize(before) == rows) {
      const int begin = J.begin(before);
      const int end = J.end(before);
      for (int k = begin; k < end; ++k) {
        const int copy = J.appendBlock(J.column(k));
        J.block(i, copy) = J.block(before, k);
      }
      return;
    }
    const int trees = J.columnBlockCount();
    const int a = index(trees);
    const int b = chance(0.5) ? index(trees) : a;
    for (int j = std::min(a, b); j <= std::max(a, b); ++j) {
      if (j != a && j != b) continue;
      const int k = J.appendBlock(j);
      for (int c = 0; c < J.columnSize(j); ++c) J.block(i, k).col(c) = normal(rows);
    }
  }

  // A velocity that some admissible impulse goes with: a bound allows motion away from it.
  double chooseBoundedVelocity(int row) {
    const bool lower = std::isfinite(problem_.rows.lower[row]);
    const bool upper = std::isfinite(problem_.rows.upper[row]);
    const double speed = normal(1)[0];
    return lower && upper ? speed : lower ? std::abs(speed) : upper ? -std::abs(speed) : 0.0;
  }

  void chooseBias() {
    VectorXd u;
    problem_.J.multiply(normal(problem_.dofCount()), u);
    const ConstraintRows& rows = problem_.rows;
    problem_.bias.resize(rows.rowCount());
    for (int i = 0; i < rows.blockCount(); ++i) {
      const int begin = rows.offset(i);
      for (int r = 0; r < rows.size(i); ++r) {
        double wanted = 0.0;  // an equality, and the tangents of a cone with μ = ∞
        if (rows.kind[i] == LawKind::unilateral || rows.kind[i] == LawKind::box) {
          wanted = chooseBoundedVelocity(begin + r);
        } else if (rows.kind[i] == LawKind::cone && r > 0 && std::isfinite(rows.mu[i])) {
          wanted = normal(1)[0];
        }
        problem_.bias[begin + r] = wanted - u[begin + r];
      }
      if (rows.kind[i] != LawKind::cone) continue;
      // Inside the dual cone: u_n above μ‖u_t‖.
      const double mu = std::isfinite(rows.mu[i]) ? rows.mu[i] : 0.0;
      const double slip = std::hypot(u[begin + 1] + problem_.bias[begin + 1],
                                     u[begin + 2] + problem_.bias[begin + 2]);
      problem_.bias[begin] = mu * slip + uniform(0.01, 1.0) - u[begin];
    }
  }

  std::mt19937_64& random_;
  RandomProblemOptions options_;
  ContactProblem problem_;
};

}  // namespace

ContactProblem makeRandomProblem(std::mt19937_64& random, const RandomProblemOptions& options) {
  return Generator(random, options).make();
}

}  // namespace cornet::test
