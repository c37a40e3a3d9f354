#include "cornet/solvers/ecos.h"

#include <atomic>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

std::atomic<const EcosBackend*> backend_in_use = nullptr;

void requirePositive(const char* name, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw std::invalid_argument(fmt::format("ecos option {} = {}: expected a number > 0", name, value));
}

// The answer of a program without ECOS, or to laws it does not honour: the start, scored.
template <class Problem>
SolveStatus refuse(const Problem& problem, const EcosOptions& options, std::string message,
                   Solution& solution, EcosReport& report) {
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  Certifier certifier(problem, options.friction_model);
  certifier.certify(solution.lambda, solution.certificate);
  solution.v = certifier.v();
  solution.u = certifier.u();
  solution.iterations = solution.factorizations = 0;
  solution.stages.clear();
  report.message = std::move(message);
  return solution.status = SolveStatus::unsupported;
}

template <class Problem>
SolveStatus dispatch(const Problem& problem, const EcosSolver& solver, const EcosOptions& options,
                     Solution& solution, EcosReport* report) {
  EcosReport own;
  EcosReport& answer = report != nullptr ? *report : own;
  answer = {};
  const EcosBackend* backend = ecosBackend();
  if (backend == nullptr) return refuse(problem, options, ecosMissingText(), solution, answer);
  if (!solver.supports(problem.rows)) {
    return refuse(problem, options, "ECOS needs finite friction coefficients", solution, answer);
  }
  const SolveStatus status = backend->solve(problem, options, solution, answer);
  if (options.throw_on_failure && status != SolveStatus::solved) {
    throw std::runtime_error(fmt::format("ecos: {}: {}", toString(status), answer.message));
  }
  return status;
}

}  // namespace

void setEcosBackend(const EcosBackend* backend) { backend_in_use = backend; }

const EcosBackend* ecosBackend() { return backend_in_use; }

std::string ecosMissingText() {
  return "this program was built without ECOS; build it with ./do build (which fetches ECOS), link "
         "cornet::ecos and call useEcos() at start-up";
}

EcosSolver::EcosSolver(const EcosOptions& options) : options_(options) {
  if (!(options.tolerance >= 0.0)) {
    throw std::invalid_argument(
        fmt::format("ecos option tolerance = {}: expected a number ≥ 0", options.tolerance));
  }
  requirePositive("abs_tol", options.abs_tol);
  requirePositive("rel_tol", options.rel_tol);
  requirePositive("max_iterations", options.max_iterations);
  requirePositive("max_sweeps", options.max_sweeps);
  if (!(options.max_seconds >= 0.0)) {
    throw std::invalid_argument(
        fmt::format("ecos option max_seconds = {}: expected a number ≥ 0", options.max_seconds));
  }
}

bool EcosSolver::supports(const ConstraintRows& rows) const {
  if (ecosBackend() == nullptr) return false;
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (rows.kind[i] == LawKind::cone && std::isinf(rows.mu[i])) return false;
  }
  return true;
}

SolveStatus EcosSolver::solve(const ContactProblem& problem, Solution& solution,
                              EcosReport* report) const {
  return dispatch(problem, *this, options_, solution, report);
}

SolveStatus EcosSolver::solve(const DelassusProblem& problem, Solution& solution,
                              EcosReport* report) const {
  return dispatch(problem, *this, options_, solution, report);
}

}  // namespace cornet
