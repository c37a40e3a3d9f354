#include "cornet/sim/rest_keeper.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace cornet {
namespace {

constexpr double kProximal = 1e-3;     // of the diagonal of W
constexpr double kEnough = 2e-16;      // [m/s]
constexpr double kGood = 1e-14;        // [m/s] old factors that reach this still do
constexpr int kRefinements = 6;
constexpr std::size_t kMostFactors = 256;

// Diagonal of J M⁻¹Jᵀ for the rows of block i.
VectorXd calcDiagonal(const ContactProblem& problem, int i) {
  VectorXd diagonal = VectorXd::Zero(problem.J.rowSize(i));
  for (int k = problem.J.begin(i); k < problem.J.end(i); ++k) {
    const MatrixXd M = problem.M.block(problem.J.column(k));
    const MatrixXd J = problem.J.block(i, k);
    diagonal += (J * M.inverse()).cwiseProduct(J).rowwise().sum();
  }
  return diagonal;
}

double largestHeld(const VectorXd& u, const ContactProblem& problem, const std::vector<bool>& held) {
  double largest = 0.0;
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (!held[i]) continue;
    largest = std::max(largest, u.segment(problem.rows.offset(i), problem.rows.size(i))
                                    .lpNorm<Eigen::Infinity>());
  }
  return largest;
}

}  // namespace

RestKeeper::Factors& RestKeeper::find(std::uint64_t name, bool& known) {
  const auto place = std::ranges::find(factors_, name, &Factors::name);
  known = place != factors_.end();
  if (known) return *place;
  if (factors_.size() >= kMostFactors) {
    factors_.erase(std::ranges::min_element(factors_, {}, &Factors::last_used));
  }
  factors_.emplace_back().name = name;
  return factors_.back();
}

void RestKeeper::factor(const ContactProblem& problem, const std::vector<bool>& held,
                        Factors& factors) const {
  std::vector<std::pair<int, int>> pairs;
  std::vector<int> sizes;
  for (int k = 0; k < problem.M.blockCount(); ++k) sizes.push_back(problem.M.size(k));
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (held[i] && problem.J.end(i) - problem.J.begin(i) == 2) {
      pairs.emplace_back(problem.J.column(problem.J.begin(i) + 1), problem.J.column(problem.J.begin(i)));
    }
  }
  factors.structure = std::make_unique<LduStructure>(BlockGraph(sizes, pairs));
  factors.ldu.reset(*factors.structure);
  factors.ldu.setZero();
  for (int k = 0; k < problem.M.blockCount(); ++k) factors.ldu.addDiagonal(k, problem.M.block(k));
  factors.stiffness = VectorXd::Zero(problem.rows.rowCount());
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (!held[i]) continue;
    const VectorXd stiffness = (kProximal * calcDiagonal(problem, i)).cwiseInverse();
    factors.stiffness.segment(problem.rows.offset(i), problem.rows.size(i)) = stiffness;
    const int first = problem.J.begin(i);
    for (int k = first; k < problem.J.end(i); ++k) {
      const MatrixXd J = problem.J.block(i, k);
      const MatrixXd own = J.transpose() * stiffness.asDiagonal() * J;
      factors.ldu.addDiagonal(problem.J.column(k), own);
    }
    if (problem.J.end(i) - first < 2) continue;
    const MatrixXd coupling = problem.J.block(i, first + 1).transpose() * stiffness.asDiagonal() *
                              problem.J.block(i, first);
    const int entry = factors.structure->graph().findEntry(problem.J.column(first + 1),
                                                           problem.J.column(first));
    factors.ldu.addSymmetricEntry(entry, coupling);
  }
  factors.ldu.factorSymmetric();
}

// (STEP-14), keeping the best; returns the largest velocity that is left.
double RestKeeper::refine(const ContactProblem& problem, const std::vector<bool>& held,
                          const Factors& factors, Solution& solution) {
  best_ = solution.lambda;
  certifier_.calcVelocities(solution.lambda);
  double least = largestHeld(certifier_.u(), problem, held);
  for (int k = 0; k < kRefinements && least > kEnough; ++k) {
    scaled_ = factors.stiffness.cwiseProduct(certifier_.u());
    problem.J.multiplyTransposed(scaled_, change_);
    change_ = -change_;
    factors.ldu.solveInPlace(change_);
    problem.J.multiply(change_, J_change_);
    solution.lambda -= scaled_ + factors.stiffness.cwiseProduct(J_change_);
    certifier_.calcVelocities(solution.lambda);
    const double left = largestHeld(certifier_.u(), problem, held);
    if (!(left < least)) break;
    least = left;
    best_ = solution.lambda;
  }
  solution.lambda = best_;
  return least;
}

int RestKeeper::correct(const ContactProblem& problem, const std::vector<bool>& held,
                        std::uint64_t name, Solution& solution) {
  certifier_.reset(problem, FrictionModel::coulomb);
  bool known = false;
  Factors& factors = find(name, known);
  factors.last_used = ++clock_;
  int factorizations = 0;
  if (!known || refine(problem, held, factors, solution) > kGood) {
    factor(problem, held, factors);
    ++factorizations;
    refine(problem, held, factors, solution);
  }
  certifier_.certify(solution.lambda, solution.certificate);
  solution.v = certifier_.v();
  solution.u = certifier_.u();
  return factorizations;
}

}  // namespace cornet
