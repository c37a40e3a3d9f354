#include "cornet/solvers/gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/solvers/gauss_seidel_blocks.h"

namespace cornet {
namespace {

using gauss_seidel::DelassusRows;
using gauss_seidel::LocalSolver;
using gauss_seidel::VelocityRows;

// The certificate is computed at the latest when the sweep count has grown by this factor.
constexpr double kForcedCheckGrowth = 1.5;

// Largest change of a block in a sweep, in units of tolerance, below which it pays to certify.
constexpr double kChangeWorthChecking = 2.0;

void requireOptions(const GaussSeidelOptions& options) {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw std::invalid_argument(
        fmt::format("gauss_seidel option {} = {}: expected {}", name, value, limit));
  };
  if (!(options.tolerance >= 0.0)) refuse("tolerance", options.tolerance, "a number ≥ 0");
  if (options.max_iterations < 0) refuse("max_iterations", options.max_iterations, "≥ 0");
  if (!(options.max_seconds >= 0.0)) refuse("max_seconds", options.max_seconds, "a number ≥ 0");
  if (options.check_every < 1) refuse("check_every", options.check_every, "≥ 1");
}

void takeWarmStart(int rows, VectorXd& lambda) {
  if (lambda.size() == 0) lambda.setZero(rows);
  if (lambda.size() != rows) {
    throw std::invalid_argument(fmt::format(
        "the warm start has {} impulses, the problem {} rows; leave it empty to start from zero",
        lambda.size(), rows));
  }
  if (!lambda.allFinite()) throw std::invalid_argument("the warm start has entries not finite");
}

// One sweep (GS-1). Returns the largest weighted change of a block when `measure` is set.
template <class Rows>
double sweep(const ConstraintRows& laws, const LocalSolver& local, bool measure,
             const std::vector<double>& weight, Rows& rows, VectorXd& lambda) {
  double u[ConstraintRows::kMaxBlockRows];
  double before[ConstraintRows::kMaxBlockRows];
  double largest = 0.0;
  for (int i = 0; i < laws.blockCount(); ++i) {
    const int size = laws.size(i);
    double* impulse = lambda.data() + laws.offset(i);
    std::copy_n(impulse, size, before);
    rows.calcVelocity(i, lambda, u);
    local.solve(i, u, impulse);
    double squared = 0.0;
    for (int r = 0; r < size; ++r) {
      before[r] = impulse[r] - before[r];  // from here on the change
      squared += before[r] * before[r];
    }
    if (squared == 0.0) continue;
    rows.apply(i, before);
    if (measure) largest = std::max(largest, squared * weight[i] * weight[i]);
  }
  return std::sqrt(largest);
}

// Best iterate so far, judged by its certificate.
class BestIterate {
 public:
  explicit BestIterate(Certifier& certifier) : certifier_(certifier) {}

  // Scores lambda and keeps it when it is the best; `last` is its certificate.
  void consider(const VectorXd& lambda) {
    certifier_.certify(lambda, last);
    if (empty_ || last.relative < certificate_.relative) {
      lambda_ = lambda;
      certificate_ = last;
      empty_ = false;
    }
  }

  bool solved(double tolerance) const { return certificate_.solved(tolerance); }

  void write(Solution& solution) {
    solution.lambda = lambda_;
    certifier_.certify(lambda_, solution.certificate);
    solution.v = certifier_.v();
    solution.u = certifier_.u();
  }

  Certificate last;

 private:
  Certifier& certifier_;
  VectorXd lambda_;
  Certificate certificate_;
  bool empty_ = true;
};

// What a change of one newton second in block i means for its relative error.
void setWeights(const Certifier& certifier, const Certificate& certificate,
                std::vector<double>& weight) {
  weight.resize(certificate.blocks.size());
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const double reference = certificate.blocks[i].reference;
    weight[i] = reference > 0.0 ? 1.0 / (certifier.effectiveMass()[i] * reference) : 0.0;
  }
}

template <class Rows>
SolveStatus iterate(const GaussSeidelOptions& options, const ConstraintRows& laws,
                    Certifier& certifier, Rows& rows, VectorXd& lambda, BestIterate& best,
                    int& sweeps, const Stopwatch& clock) {
  best.consider(lambda);
  if (best.solved(options.tolerance)) return SolveStatus::solved;
  const LocalSolver local(rows, laws, options.friction_model);
  std::vector<double> weight;
  setWeights(certifier, best.last, weight);
  rows.reset(certifier.v());

  double forced_check = laws.blockCount() == 1 ? 1.0 : options.check_every;
  for (sweeps = 1; sweeps <= options.max_iterations; ++sweeps) {
    const bool last_sweep = sweeps == options.max_iterations;
    const bool sampled =
        last_sweep || sweeps % options.check_every == 0 || sweeps >= forced_check;
    const double change = sweep(laws, local, sampled, weight, rows, lambda);
    if (!sampled) continue;

    const bool out_of_time = clock.seconds() >= options.max_seconds;
    const bool promising = change <= kChangeWorthChecking * options.tolerance;
    if (!promising && !out_of_time && !last_sweep && sweeps < forced_check) continue;
    best.consider(lambda);
    if (best.solved(options.tolerance)) return SolveStatus::solved;
    if (!std::isfinite(best.last.relative)) return SolveStatus::numerical_error;
    if (out_of_time) return SolveStatus::max_iterations;
    if (change == 0.0) return SolveStatus::inaccurate;  // a fixed point that is no solution
    setWeights(certifier, best.last, weight);
    rows.reset(certifier.v());
    forced_check = std::max(forced_check, kForcedCheckGrowth * sweeps);
  }
  sweeps = options.max_iterations;
  return SolveStatus::max_iterations;
}

template <class Rows, class Problem>
SolveStatus run(const GaussSeidelOptions& options, bool supported, const Problem& problem,
                Solution& solution) {
  const Stopwatch clock;
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  Certifier certifier(problem, options.friction_model);
  BestIterate best(certifier);
  solution.iterations = 0;
  solution.factorizations = 0;
  if (supported) {
    Rows rows(problem);
    solution.status = iterate(options, problem.rows, certifier, rows, solution.lambda, best,
                              solution.iterations, clock);
  } else {
    best.consider(solution.lambda);
    solution.status = SolveStatus::unsupported;
  }
  best.write(solution);
  solution.seconds = clock.seconds();
  return solution.status;
}

}  // namespace

GaussSeidel::GaussSeidel(const GaussSeidelOptions& options) : options_(options) {
  requireOptions(options);
}

bool GaussSeidel::supports(const ConstraintRows& rows) const {
  if (options_.friction_model == FrictionModel::coulomb) return true;
  return std::ranges::none_of(rows.mu, [](double mu) { return std::isinf(mu); });
}

SolveStatus GaussSeidel::solve(const ContactProblem& problem, Solution& solution) const {
  return run<VelocityRows>(options_, supports(problem.rows), problem, solution);
}

SolveStatus GaussSeidel::solve(const DelassusProblem& problem, Solution& solution) const {
  return run<DelassusRows>(options_, supports(problem.rows), problem, solution);
}

}  // namespace cornet
