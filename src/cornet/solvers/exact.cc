#include "cornet/solvers/exact.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/solvers/exact/controller.h"

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

}  // namespace

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
  return controller_->solve(problem, supports(problem.rows), solution);
}

SolveStatus ExactSolver::solve(const DelassusProblem& problem, Solution& solution) {
  return controller_->solve(problem, supports(problem.rows), solution);
}

}  // namespace cornet
