#include "cornet/solvers/gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/solvers/gauss_seidel_blocks.h"
#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

using gauss_seidel::DelassusRows;
using gauss_seidel::Sweeper;
using gauss_seidel::VelocityRows;

// The certificate is computed at the latest when the sweep count has grown by this factor.
constexpr double kForcedCheckGrowth = 1.5;

// A look at the clock costs as much as a contact: small problems look every few sweeps.
constexpr int kClockEvery = 8;
constexpr int kManyBlocks = 100;

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

// Best iterate so far, judged by its certificate: each island, which knows nothing of the others,
// keeps its own best.
class BestIterate {
 public:
  BestIterate(const ConstraintRows& laws, Certifier& certifier)
      : laws_(laws), certifier_(certifier) {}

  // Scores lambda and keeps the islands that are the best so far; `last` is its certificate.
  void consider(const VectorXd& lambda) {
    certifier_.certify(lambda, last);
    const std::vector<int>& island = certifier_.island();
    if (lambda_.size() == 0) {
      lambda_ = lambda;
      blocks_ = last.blocks;
      error_.assign(certifier_.islandCount(), std::numeric_limits<double>::infinity());
    }
    candidate_.assign(error_.size(), 0.0);
    for (std::size_t i = 0; i < island.size(); ++i) {
      double& error = candidate_[island[i]];
      error = std::max(error, std::isfinite(last.relative) ? last.blocks[i].relative : last.relative);
    }
    for (std::size_t i = 0; i < island.size(); ++i) {
      if (!(candidate_[island[i]] < error_[island[i]])) continue;
      const int block = static_cast<int>(i);
      lambda_.segment(laws_.offset(block), laws_.size(block)) =
          lambda.segment(laws_.offset(block), laws_.size(block));
      blocks_[i] = last.blocks[i];
    }
    for (std::size_t k = 0; k < error_.size(); ++k) error_[k] = std::min(error_[k], candidate_[k]);
  }

  bool solved(double tolerance) const {
    Certificate merged;
    for (const double error : error_) merged.relative = std::max(merged.relative, error);
    merged.blocks = blocks_;
    return merged.solved(tolerance);
  }

  void write(Solution& solution) {
    solution.lambda = lambda_;
    certifier_.certify(lambda_, solution.certificate);
    solution.v = certifier_.v();
    solution.u = certifier_.u();
  }

  Certificate last;

 private:
  const ConstraintRows& laws_;
  Certifier& certifier_;
  VectorXd lambda_;
  std::vector<BlockResidual> blocks_;
  std::vector<double> error_, candidate_;  // relative error per island: best, and of this call
};

bool mustEnd(const GaussSeidelOptions& options, const Stopwatch& clock) {
  return clock.seconds() >= options.max_seconds ||
         (options.interrupt != nullptr && options.interrupt->load(std::memory_order_relaxed));
}

template <class Rows, class Problem>
SolveStatus iterate(const GaussSeidelOptions& options, const Problem& problem,
                    Certifier& certifier, VectorXd& lambda, BestIterate& best, int& sweeps,
                    const Stopwatch& clock) {
  best.consider(lambda);
  if (best.solved(options.tolerance)) return SolveStatus::solved;
  const ConstraintRows& laws = problem.rows;
  Sweeper<Rows> sweeper;
  sweeper.reset(problem, options.friction_model);
  std::vector<double> weight;
  gauss_seidel::calcSweepWeights(certifier, best.last, weight);
  sweeper.setVelocity(certifier.v());

  double forced_check = laws.blockCount() == 1 ? 1.0 : options.check_every;
  for (sweeps = 0; sweeps < options.max_iterations;) {
    ++sweeps;
    const bool last_sweep = sweeps == options.max_iterations;
    const bool looks_at_clock = sweeps % kClockEvery == 0 || laws.blockCount() > kManyBlocks;
    const bool out_of_time = looks_at_clock && mustEnd(options, clock);
    const bool sampled = last_sweep || out_of_time || sweeps % options.check_every == 0 ||
                         sweeps >= forced_check;
    const std::span<const double> no_weights;
    const double change = sweeper.sweep(sampled ? weight : no_weights, lambda);
    if (!sampled) continue;

    const bool promising = change <= kChangeWorthChecking * options.tolerance;
    if (!promising && !out_of_time && !last_sweep && sweeps < forced_check) continue;
    best.consider(lambda);
    if (best.solved(options.tolerance)) return SolveStatus::solved;
    if (!std::isfinite(best.last.relative)) return SolveStatus::numerical_error;
    if (out_of_time) return SolveStatus::max_iterations;
    if (change == 0.0) return SolveStatus::inaccurate;  // a fixed point that is no solution
    gauss_seidel::calcSweepWeights(certifier, best.last, weight);
    sweeper.setVelocity(certifier.v());
    forced_check = std::max(forced_check, kForcedCheckGrowth * sweeps);
  }
  return SolveStatus::max_iterations;
}

template <class Rows, class Problem>
SolveStatus run(const GaussSeidelOptions& options, bool supported, const Problem& problem,
                Solution& solution) {
  const Stopwatch clock;
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  Certifier certifier(problem, options.friction_model);
  BestIterate best(problem.rows, certifier);
  solution.iterations = 0;
  solution.factorizations = 0;
  solution.stages.clear();
  if (supported) {
    solution.status = iterate<Rows>(options, problem, certifier, solution.lambda, best,
                                    solution.iterations, clock);
  } else {
    best.consider(solution.lambda);
    solution.status = SolveStatus::unsupported;
  }
  best.write(solution);
  // The certificate of what is returned has the last word.
  if (solution.status == SolveStatus::solved && !solution.certificate.solved(options.tolerance)) {
    solution.status = SolveStatus::inaccurate;
  }
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
