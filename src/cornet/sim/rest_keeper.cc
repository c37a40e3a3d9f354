#include "cornet/sim/rest_keeper.h"

#include <algorithm>
#include <cmath>

namespace cornet {
namespace {

constexpr double kRestProximal = 1e-6;  // of the diagonal of W
constexpr double kEnough = 1e-15;       // [m/s]
constexpr int kRestRefinements = 6;

constexpr double kGrid = 0x1p-33;      // of rounded rows [m] or none, and of moments of inertia: what it
                                       // changes is weighed by 1/kRestProximal

double roundTo(double grid, double x) { return grid * std::nearbyint(x / grid); }

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

RestKeeper::RestKeeper() : factor_(kRestProximal) {}

void RestKeeper::collectRows(const ContactProblem& problem, const std::vector<bool>& held) {
  const BlockSparseMatrix& J = problem.J;
  const auto round = [](double x) { return roundTo(kGrid, x); };
  rows_.clear();
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (!held[i]) continue;
    for (int k = 0; k < problem.rows.size(i); ++k) {
      HeldRow& row = rows_.add().reset();
      for (int entry = J.begin(i); entry < J.end(i); ++entry) {
        row.add(J.column(entry), J.block(i, entry).row(k).transpose().unaryExpr(round));
      }
    }
  }
}

void RestKeeper::roundMasses(const BlockDiagonalMatrix& M) {
  M_ = M;
  for (int k = 0; k < M_.blockCount(); ++k) {
    auto inertia = M_.block(k).bottomRightCorner<3, 3>();
    const double grid = std::ldexp(kGrid, std::ilogb(inertia.trace()));
    inertia = inertia.unaryExpr([&](double x) { return roundTo(grid, x); }).eval();
  }
}

// Whether there was anything to factor.
bool RestKeeper::factor(const ContactProblem& problem, const std::vector<bool>& held) {
  collectRows(problem, held);
  roundMasses(problem.M);
  const auto actsAs = [](const HeldRow& row, const HeldRow& known) { return row.actsAs(known); };
  const bool known = std::ranges::equal(M_.values(), known_M_.values()) &&
                     std::ranges::equal(rows_, known_rows_, actsAs);
  if (!known) {
    factor_.factor(M_, rows_);
    std::swap(known_M_, M_);
    known_rows_.swap(rows_);
  }
  stiffness_.setZero(problem.rows.rowCount());
  auto weight = factor_.weights().begin();
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (!held[i]) continue;
    for (int k = 0; k < problem.rows.size(i); ++k) {
      stiffness_[problem.rows.offset(i) + k] = *weight++;
    }
  }
  return !known;
}

// (STEP-14), keeping the best.
void RestKeeper::refine(const ContactProblem& problem, const std::vector<bool>& held, VectorXd& lambda) {
  best_ = lambda;
  certifier_.calcVelocities(lambda);
  double least = largestHeld(certifier_.u(), problem, held);
  for (int k = 0; k < kRestRefinements && least > kEnough; ++k) {
    scaled_ = stiffness_.cwiseProduct(certifier_.u());
    problem.J.multiplyTransposed(scaled_, change_);
    change_ = -change_;
    factor_.solveInPlace(change_);
    problem.J.multiply(change_, J_change_);
    lambda -= scaled_ + stiffness_.cwiseProduct(J_change_);
    certifier_.calcVelocities(lambda);
    const double left = largestHeld(certifier_.u(), problem, held);
    if (!(left < least)) break;
    least = left;
    best_ = lambda;
  }
  lambda = best_;
}

void RestKeeper::correct(const ContactProblem& problem, const std::vector<bool>& held,
                         Solution& solution) {
  certifier_.reset(problem, FrictionModel::coulomb);
  if (factor(problem, held)) ++solution.factorizations;
  refine(problem, held, solution.lambda);
  certifier_.certify(solution.lambda, solution.certificate);
  solution.v = certifier_.v();
  solution.u = certifier_.u();
}

void RestKeeper::predict(const VectorXd& v_free, const std::vector<bool>& held, ContactProblem& problem,
                         VectorXd& lambda) {
  v_free_ = problem.v_free;
  problem.v_free = v_free;
  refine(problem, held, lambda);
  problem.v_free = v_free_;
}

}  // namespace cornet
