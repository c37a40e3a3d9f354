#include "cornet/solvers/ecos/sweeps.h"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/solvers/ecos/anderson.h"
#include "cornet/solvers/ecos/build_problem.h"
#include "cornet/solvers/ecos/outcome.h"
#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

constexpr int kDepth = 5;            // of the acceleration; more follows noise of the conic solves
constexpr double kMuchWorse = 10.0;  // certificate after a step, over the best: back to a plain step
constexpr int kPatience = 30;        // sweeps without progress, progress being
constexpr double kProgress = 0.9;    // this factor in the best certificate

// ½(W - Wᵀ)λ, which the conic program does not know; nothing in velocity form.
void addAsymmetry(const ContactProblem&, const VectorXd&, VectorXd&) {}
void addAsymmetry(const DelassusProblem& problem, const VectorXd& lambda, VectorXd& velocities) {
  VectorXd product;
  problem.W.multiply(lambda, product);
  velocities += 0.5 * product;
  problem.W.multiplyTransposed(lambda, product);
  velocities -= 0.5 * product;
}

template <class Problem>
class Sweeps {
 public:
  Sweeps(const Problem& problem, const EcosOptions& options, EcosReport& report)
      : problem_(problem), options_(options), report_(report),
        certifier_(problem, options.friction_model), data_(buildECOSProblem(problem)) {
    const ConstraintRows& rows = problem.rows;
    for (int i = 0; i < rows.blockCount(); ++i) {
      if (rows.kind[i] == LawKind::cone && rows.mu[i] > 0.0) sliding_.push_back(i);
    }
  }

  void run(const VectorXd& start) {
    consider(start);
    const bool given = (start.array() != 0.0).any();
    VectorXd w = given ? calcSlip() : VectorXd::Zero(slipCount());
    if (met_) return;
    conicSolve(w, start);
    if (options_.friction_model == FrictionModel::convex) return;
    // The fixed point may be feasible where w = 0 is not.
    if (report_.exit_flag % 10 == 1) conicSolve(w = calcFreeSlip(), start);
    iterate(w);
  }

  const VectorXd& best() const { return best_; }
  int iterations() const { return iterations_; }
  Certifier& certifier() { return certifier_; }

 private:
  int slipCount() const { return static_cast<int>(sliding_.size()); }

  // Sweeps after the first conic solve, whose w is given.
  void iterate(VectorXd w) {
    Anderson anderson(kDepth);
    VectorXd safe = calcSlip();  // plain step from the best iterate
    double milestone = error_;
    int waited = 0;
    while (!met_ && mayGoOn() && report_.conic_solves < options_.max_sweeps && waited < kPatience) {
      if (error_ > kMuchWorse * best_error_) {
        anderson.restart();
        w = safe;
      } else {
        w = anderson.next(w, calcSlip());
      }
      conicSolve(w, lambda_);
      if (error_ == best_error_) safe = calcSlip();
      ++waited;
      if (best_error_ < kProgress * milestone) {
        milestone = best_error_;
        waited = 0;
      }
    }
  }

  // One conic solve with raised normal velocities; `last` are the impulses it follows.
  void conicSolve(const VectorXd& w, const VectorXd& last) {
    velocities_.setZero(problem_.rows.rowCount());
    for (int k = 0; k < slipCount(); ++k) velocities_[problem_.rows.offset(sliding_[k])] = w[k];
    if (options_.friction_model == FrictionModel::coulomb) addAsymmetry(problem_, last, velocities_);
    data_.addVelocities(velocities_, h_, b_);
    data_.updateRightSides(h_, b_);
    data_.solve(options_.conic_tolerance, options_.max_iterations);
    ++report_.conic_solves;
    report_.exit_flag = data_.exit_flag;
    report_.primal_residual = data_.primal_residual;
    report_.dual_residual = data_.dual_residual;
    report_.gap = data_.gap;
    report_.last_iterations = data_.iterations;
    iterations_ += data_.iterations;
    consider(data_.impulses());
  }

  // Scores impulses and keeps the best.
  void consider(const VectorXd& lambda) {
    lambda_ = lambda;
    if (!lambda_.allFinite()) lambda_.setZero();
    certifier_.measure(lambda_, certificate_);
    error_ = certificate_.relative;
    if (best_.size() > 0 && !(error_ < best_error_)) return;
    best_error_ = error_;
    best_ = lambda_;
    met_ = certificate_.solved(options_.tolerance);
  }

  // Optimal, to reduced accuracy, or stopped early at what may still be good.
  bool mayGoOn() const {
    const int flag = report_.exit_flag;
    return flag == 0 || flag == 10 || flag == -2 || flag == -3;
  }

  // μ‖u_t‖ of the last impulses scored, and of none.
  VectorXd calcSlip() const {
    VectorXd slip(slipCount());
    for (int k = 0; k < slipCount(); ++k) {
      const int i = sliding_[k];
      slip[k] = problem_.rows.mu[i] * certifier_.u().template segment<2>(problem_.rows.offset(i) + 1).norm();
    }
    return slip;
  }
  VectorXd calcFreeSlip() {
    certifier_.calcVelocities(VectorXd::Zero(problem_.rows.rowCount()));
    return calcSlip();
  }

  const Problem& problem_;
  const EcosOptions& options_;
  EcosReport& report_;
  Certifier certifier_;
  ECOSData data_;
  std::vector<int> sliding_;  // cones with friction
  VectorXd velocities_, lambda_, best_;
  std::vector<double> h_, b_;
  Certificate certificate_;
  double error_ = 0.0, best_error_ = std::numeric_limits<double>::infinity();
  bool met_ = false;
  int iterations_ = 0;
};

// Status and sentence of a solve whose certificate is not met.
SolveStatus explainFailure(const EcosOptions& options, const ConstraintRows& rows, double error,
                           EcosReport& report) {
  const bool optimal = report.exit_flag == 0 || report.exit_flag == 10;
  report.certificate_disagrees = report.exit_flag == 0;
  report.message = fmt::format("{}; the certificate of the iterate kept is {:.1e}, the tolerance {:.1e}",
                               describeExit(report.exit_flag, rows), error, options.tolerance);
  if (options.friction_model == FrictionModel::convex) return statusOfExit(report.exit_flag);
  report.message += fmt::format("; after {} sweeps", report.conic_solves);
  const bool out_of_sweeps = optimal && report.conic_solves >= options.max_sweeps;
  return out_of_sweeps ? SolveStatus::max_iterations : statusOfExit(report.exit_flag);
}

}  // namespace

template <class Problem>
SolveStatus solveBySweeps(const Problem& problem, const EcosOptions& options, Solution& solution,
                          EcosReport& report) {
  const Stopwatch stopwatch;
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  Sweeps<Problem> sweeps(problem, options, report);
  sweeps.run(solution.lambda);
  solution.lambda = sweeps.best();
  sweeps.certifier().certify(solution.lambda, solution.certificate);
  solution.v = sweeps.certifier().v();
  solution.u = sweeps.certifier().u();
  solution.iterations = sweeps.iterations();
  solution.factorizations = sweeps.iterations() + report.conic_solves;  // each solve begins with one
  solution.stages.clear();
  solution.status = solution.certificate.solved(options.tolerance)
                        ? SolveStatus::solved
                        : explainFailure(options, problem.rows, solution.certificate.relative, report);
  solution.seconds = stopwatch.seconds();
  return solution.status;
}

template SolveStatus solveBySweeps(const ContactProblem&, const EcosOptions&, Solution&, EcosReport&);
template SolveStatus solveBySweeps(const DelassusProblem&, const EcosOptions&, Solution&, EcosReport&);

}  // namespace cornet
