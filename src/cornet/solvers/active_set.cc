#include "cornet/solvers/active_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/problem/delassus_problem.h"
#include "cornet/solvers/active_set/polygon_friction.h"
#include "cornet/solvers/active_set/working_set.h"
#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

// What comes of a walk.
struct Outcome {
  VectorXd lambda;
  Certificate certificate;
  SolveStatus status = SolveStatus::unsupported;
};

SolveStatus judge(SolveStatus status, const Certificate& certificate, double tolerance) {
  if (certificate.solved(tolerance)) return SolveStatus::solved;
  return status == SolveStatus::solved ? SolveStatus::inaccurate : status;
}

// One walk; the certificate comes from the problem as it was given.
template <class Problem>
Outcome solveBounded(const ActiveSetOptions& options, const Problem& problem,
                     const DelassusProblem& reduced, const VectorXd& start, int& iterations) {
  Outcome outcome;
  active_set::WorkingSet working_set(reduced, start);
  outcome.status = working_set.run(options.max_iterations, options.interrupt, iterations);
  outcome.lambda = working_set.impulses();
  Certifier(problem).certify(outcome.lambda, outcome.certificate);
  outcome.status = judge(outcome.status, outcome.certificate, options.tolerance);
  return outcome;
}

// Walks with friction bounds that follow the normal impulses (POLY-2). The step between two normal
// impulses is relaxed by the secant of the last two, which turns an oscillation into convergence.
Outcome solvePolygons(const ActiveSetOptions& options, const DelassusProblem& reduced,
                      const VectorXd& start, int& iterations) {
  constexpr int kPatience = 20;  // solves without a better certificate
  active_set::PolygonProblem polygons(
      reduced, active_set::makeFrictionPolygon(options.cone_approximation, options.faces));
  VectorXd normals = polygons.normalsOf(polygons.expand(start));
  polygons.setNormals(normals);
  active_set::WorkingSet working_set(polygons.expanded(), polygons.expand(start));
  Outcome best;
  best.certificate.relative = std::numeric_limits<double>::infinity();
  VectorXd change, last_change;
  double relaxation = 1.0;
  int best_sweep = 0;
  for (int sweep = 0; sweep < options.max_sweeps; ++sweep) {
    const SolveStatus status =
        working_set.run(options.max_iterations, options.interrupt, iterations);
    const VectorXd lambda = working_set.impulses();
    const VectorXd next = polygons.normalsOf(lambda);

    // The law with the bounds these impulses ask for.
    polygons.setNormals(next);
    Certificate certificate;
    Certifier(polygons.expanded()).certify(lambda, certificate);
    if (certificate.relative < best.certificate.relative) {
      best = {lambda, std::move(certificate), status};
      best_sweep = sweep;
    }
    best.status = judge(status, best.certificate, options.tolerance);
    if (best.status != SolveStatus::inaccurate || sweep - best_sweep > kPatience) break;

    change = next - normals;
    if (last_change.size() > 0) {
      const VectorXd bend = change - last_change;
      if (bend.squaredNorm() > 0.0) {
        relaxation *= -last_change.dot(bend) / bend.squaredNorm();
        relaxation = std::clamp(relaxation, 0.05, 2.0);
      }
    }
    last_change = change;
    normals += relaxation * change;
    polygons.setNormals(normals);
    working_set.setBounds(polygons.expanded().rows);
  }
  if (best.lambda.size() == 0) best.lambda = polygons.expanded().q * 0.0;
  polygons.collapse(best.certificate);
  best.lambda = polygons.collapse(best.lambda);
  return best;
}

bool hasFriction(const ConstraintRows& rows) {
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (rows.kind[i] == LawKind::cone && rows.mu[i] > 0.0) return true;
  }
  return false;
}

template <class Problem>
SolveStatus run(const ActiveSetOptions& options, bool supported, const Problem& problem,
                const DelassusProblem& reduced, const Stopwatch& clock, Solution& solution) {
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  solution.iterations = solution.factorizations = 0;
  solution.stages.clear();
  Certifier certifier(problem);
  Outcome outcome{solution.lambda, {}, SolveStatus::unsupported};
  if (!supported) {
    certifier.certify(outcome.lambda, outcome.certificate);
  } else if (hasFriction(problem.rows)) {
    outcome = solvePolygons(options, reduced, solution.lambda, solution.iterations);
    Certificate coulomb;
    certifier.certify(outcome.lambda, coulomb);
    outcome.certificate.energy = coulomb.energy;  // by contact axes, not by segments
  } else {
    outcome = solveBounded(options, problem, reduced, solution.lambda, solution.iterations);
  }
  certifier.calcVelocities(outcome.lambda);
  solution.v = certifier.v();
  solution.u = certifier.u();
  solution.lambda = std::move(outcome.lambda);
  solution.certificate = std::move(outcome.certificate);
  solution.seconds = clock.seconds();
  return solution.status = outcome.status;
}

}  // namespace

ActiveSet::ActiveSet(const ActiveSetOptions& options) : options_(options) {
  if (!(options.tolerance >= 0.0)) {
    throw std::invalid_argument(fmt::format(
        "active_set option tolerance = {}: expected a number ≥ 0", options.tolerance));
  }
  if (options.max_iterations < 0) {
    throw std::invalid_argument(fmt::format(
        "active_set option max_iterations = {}: expected ≥ 0", options.max_iterations));
  }
  if (options.max_sweeps < 1) {
    throw std::invalid_argument(
        fmt::format("active_set option max_sweeps = {}: expected ≥ 1", options.max_sweeps));
  }
  active_set::makeFrictionPolygon(ConeApproximation::polygon, options.faces);
}

bool ActiveSet::supports(const ConstraintRows& rows) const {
  if (options_.cone_approximation == ConeApproximation::none) return !hasFriction(rows);
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (rows.kind[i] == LawKind::cone && std::isinf(rows.mu[i])) return false;
  }
  return true;
}

SolveStatus ActiveSet::solve(const ContactProblem& problem, Solution& solution) const {
  const Stopwatch clock;
  return run(options_, supports(problem.rows), problem, makeDelassusProblem(problem), clock,
             solution);
}

SolveStatus ActiveSet::solve(const DelassusProblem& problem, Solution& solution) const {
  const Stopwatch clock;
  return run(options_, supports(problem.rows), problem, problem, clock, solution);
}

}  // namespace cornet
