#include "cornet/solvers/exact.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/solvers/exact/acting_rows.h"
#include "cornet/solvers/exact/controller.h"
#include "cornet/solvers/exact/reduced_problem.h"

namespace cornet {
namespace {

void requireOptions(const ExactOptions& options) {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw std::invalid_argument(
        fmt::format("exact option {} = {}: expected {}", name, value, limit));
  };
  if (!(options.tolerance >= 0.0)) refuse("tolerance", options.tolerance, "a number ≥ 0");
  if (options.max_factorizations < 0) {
    refuse("max_factorizations", options.max_factorizations, "≥ 0");
  }
  if (!(options.max_seconds >= 0.0)) refuse("max_seconds", options.max_seconds, "a number ≥ 0");
  if (options.polish_blocks < 0) refuse("polish_blocks", options.polish_blocks, "≥ 0");
}

constexpr int kRefinements = 2;    // of the impulses of equalities
constexpr int kFirstBudget = 80;    // factorizations for an attempt with the equalities in it,
constexpr int kReducedBudget = 150; //   then for those without them; the rest for others from there,
constexpr double kNear = 1e-4;      //   where these got so near to a solution

ExactOptions forReduced(ExactOptions options) {
  options.max_factorizations = kReducedBudget;
  return options;
}

}  // namespace

// A solve without the equalities, for problems in which they are what is hard.
class ExactSolver::Reduction {
 public:
  explicit Reduction(const ExactOptions& options) : controller_(forReduced(options)) {}

  /// Better impulses than those of `solution`, if there are any; its status in any case.
  SolveStatus improve(const ContactProblem& problem, Solution& solution);

 private:
  Controller controller_;
  exact::ReducedProblem reduced_;
  Certifier certifier_;
  Certificate certificate_;
  Solution part_;
  VectorXd lambda_;
};

SolveStatus ExactSolver::Reduction::improve(const ContactProblem& problem, Solution& solution) {
  if (!reduced_.reset(problem)) return solution.status = SolveStatus::infeasible;
  reduced_.restrict(solution.lambda, part_.lambda);
  part_.iterations = part_.factorizations = 0;
  if (controller_.solve(reduced_.problem(), true, part_) == SolveStatus::infeasible) solution.status = SolveStatus::infeasible;
  solution.iterations += part_.iterations;
  solution.factorizations += part_.factorizations + 1;
  const ExactOptions& options = controller_.options();
  certifier_.reset(problem, options.friction_model);
  reduced_.expand(part_.lambda, lambda_);
  for (int k = 0; k <= kRefinements; ++k) {
    if (k > 0) reduced_.refine(certifier_.u(), lambda_);
    certifier_.certify(lambda_, certificate_);
    if (!(certificate_.relative < solution.certificate.relative)) continue;
    solution.lambda = lambda_;
    solution.v = certifier_.v();
    solution.u = certifier_.u();
    solution.certificate = certificate_;
  }
  solution.stages.push_back({SolveStage::Kind::reduction, part_.iterations, part_.factorizations + 1, solution.certificate.relative});
  if (solution.certificate.solved(options.tolerance)) solution.status = SolveStatus::solved;
  return solution.status;
}

ExactSolver::ExactSolver(const ExactOptions& options) {
  requireOptions(options);
  controller_ = std::make_unique<Controller>(options);
}

ExactSolver::~ExactSolver() = default;
ExactSolver::ExactSolver(ExactSolver&&) noexcept = default;
ExactSolver& ExactSolver::operator=(ExactSolver&&) noexcept = default;

void ExactSolver::setTimeLimit(double max_seconds) {
  ExactOptions options = controller_->options();
  options.max_seconds = max_seconds;
  requireOptions(options);
  controller_->setTimeLimit(max_seconds);
}

bool ExactSolver::supports(const ConstraintRows& rows) const {
  if (controller_->options().friction_model == FrictionModel::coulomb) return true;
  return std::ranges::none_of(rows.mu, [](double mu) { return std::isinf(mu); });
}

SolveStatus ExactSolver::solve(const ContactProblem& problem, Solution& solution) {
  const bool supported = supports(problem.rows);
  const int budget = controller_->options().max_factorizations;
  if (!supported || budget < kFirstBudget + kReducedBudget || !exact::ReducedProblem::isFor(problem)) {
    controller_->solve(problem, supported, solution);
    if (supported) finish(problem, solution);
    return solution.status;
  }
  controller_->setBudget(kFirstBudget);
  controller_->solve(problem, true, solution);
  controller_->setBudget(budget);
  if (finish(problem, solution)) return solution.status;
  if (!reduction_) reduction_ = std::make_unique<Reduction>(controller_->options());
  reduction_->improve(problem, solution);
  if (finish(problem, solution) || !mayGoOn(solution)) return solution.status;
  goOn(problem, solution);
  finish(problem, solution);
  return solution.status;
}

// Whether there is nothing more to do: it is solved, by the last digits if they are missing, or has to end.
bool ExactSolver::finish(const ContactProblem& problem, Solution& solution) {
  if (solution.status == SolveStatus::solved || controller_->mustEnd()) return true;
  if (!(solution.certificate.relative < kNear) || !exact::ActingRows::isFor(problem)) return false;
  if (!acting_rows_) acting_rows_ = std::make_unique<exact::ActingRows>();
  const ExactOptions& options = controller_->options();
  if (acting_rows_->improve(problem, options.friction_model, solution)) {
    solution.stages.push_back({SolveStage::Kind::acting_rows, 0, 1, solution.certificate.relative});
    ++solution.factorizations;
  }
  if (solution.certificate.solved(options.tolerance)) solution.status = SolveStatus::solved;
  return solution.status == SolveStatus::solved;
}

bool ExactSolver::mayGoOn(const Solution& solution) const {
  return solution.status != SolveStatus::solved && !controller_->mustEnd() && solution.certificate.relative < kNear;
}

// The other attempts, from what there is.
SolveStatus ExactSolver::goOn(const ContactProblem& problem, Solution& solution) {
  const int iterations = solution.iterations, factorizations = solution.factorizations;
  const int budget = controller_->options().max_factorizations;
  std::vector<SolveStage> stages = std::move(solution.stages);
  controller_->setBudget(std::max(0, budget - factorizations));
  controller_->solve(problem, true, solution);
  controller_->setBudget(budget);
  stages.insert(stages.end(), solution.stages.begin(), solution.stages.end());
  solution.stages = std::move(stages);
  solution.iterations += iterations;
  solution.factorizations += factorizations;
  return solution.status;
}

SolveStatus ExactSolver::solve(const DelassusProblem& problem, Solution& solution) {
  return controller_->solve(problem, supports(problem.rows), solution);
}

}  // namespace cornet
