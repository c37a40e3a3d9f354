#include "cornet/solvers/cholesky.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/math/block_ldu.h"
#include "cornet/problem/delassus_problem.h"
#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

constexpr double kProximal = 1e-11;   // δ of (CHOL-2): far above rounding, far below stiff modes
// A step that leaves this share of the error is the last: rows that can be satisfied at all lose
// δ/(δ + σ) a step, which is visibly less than one for every σ that rounding leaves in A.
constexpr double kNoProgress = 1.0 - 1e-5;
constexpr double kContradiction = 1e9;  // impulses that many times larger than the data

BlockGraph makeGraph(const DelassusProblem& problem) {
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    sizes.push_back(problem.rows.size(i));
    for (int k = problem.W.begin(i); k < problem.W.end(i); ++k) {
      if (problem.W.column(k) < i) pairs.emplace_back(i, problem.W.column(k));
    }
  }
  return BlockGraph(sizes, pairs);
}

// S = diag(A)^-½; rows that nothing moves keep their size.
VectorXd calcScale(const DelassusProblem& problem) {
  VectorXd scale(problem.rows.rowCount());
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    const auto diagonal = problem.W.block(i, problem.W.findBlock(i, i)).diagonal();
    for (int r = 0; r < problem.rows.size(i); ++r) {
      const int row = problem.rows.offset(i) + r;
      const double a = diagonal[r] + problem.rows.compliance[row];
      scale[row] = a > 0.0 ? 1.0 / std::sqrt(a) : 1.0;
    }
  }
  return scale;
}

// S A S + δ I into the factorization.
void fill(const DelassusProblem& problem, const VectorXd& scale, const BlockGraph& graph,
          BlockLdu& factor) {
  factor.setZero();
  MatrixXd block;
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    const auto s_i = scale.segment(problem.rows.offset(i), problem.rows.size(i));
    for (int k = problem.W.begin(i); k < problem.W.end(i); ++k) {
      const int j = problem.W.column(k);
      if (j > i) continue;
      const auto s_j = scale.segment(problem.rows.offset(j), problem.rows.size(j));
      block = s_i.asDiagonal() * problem.W.block(i, k) * s_j.asDiagonal();
      if (j < i) {
        factor.addSymmetricEntry(graph.findEntry(i, j), block);
        continue;
      }
      for (int r = 0; r < problem.rows.size(i); ++r) {
        const double compliance = problem.rows.compliance[problem.rows.offset(i) + r];
        block(r, r) += kProximal + s_i[r] * compliance * s_i[r];
      }
      factor.addDiagonal(i, block);
    }
  }
}

// The steps (CHOL-2), from and to solution.lambda; says whether rows contradict each other.
bool refine(const DelassusProblem& reduced, Certifier& certifier, int max_iterations,
            Solution& solution) {
  const VectorXd scale = calcScale(reduced);
  const BlockGraph graph = makeGraph(reduced);
  const LduStructure structure(graph);
  BlockLdu factor(structure);
  fill(reduced, scale, graph, factor);
  factor.factorSymmetric();
  solution.factorizations = 1;

  VectorXd lambda = solution.lambda;
  certifier.calcVelocities(lambda);
  const double size = certifier.q().cwiseProduct(scale).norm();
  double residual = certifier.u().cwiseProduct(scale).norm();
  double impulse = 0.0;
  bool stuck = false;
  for (int k = 0; k < max_iterations && residual > 0.0; ++k) {
    VectorXd step = -scale.cwiseProduct(certifier.u());
    factor.solveInPlace(step);
    if (!step.allFinite()) break;
    lambda += scale.cwiseProduct(step);
    ++solution.iterations;
    certifier.calcVelocities(lambda);
    const double next = certifier.u().cwiseProduct(scale).norm();
    impulse = std::max(impulse, step.norm());
    if (!(next < residual)) {
      stuck = true;
      break;
    }
    stuck = next > kNoProgress * residual;
    residual = next;
    solution.lambda = lambda;
    if (stuck) break;
  }
  return stuck && impulse > kContradiction * size;
}

template <class Problem>
SolveStatus run(const CholeskyOptions& options, bool supported, const Problem& problem,
                const DelassusProblem& reduced, const Stopwatch& clock, Solution& solution) {
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  solution.iterations = solution.factorizations = 0;
  solution.stages.clear();
  Certifier certifier(problem);
  SolveStatus status = SolveStatus::unsupported;
  if (supported) {
    const bool contradiction = problem.rows.rowCount() > 0 &&
                               refine(reduced, certifier, options.max_iterations, solution);
    status = contradiction ? SolveStatus::infeasible : SolveStatus::inaccurate;
  }
  certifier.certify(solution.lambda, solution.certificate);
  if (supported && solution.certificate.solved(options.tolerance)) status = SolveStatus::solved;
  solution.v = certifier.v();
  solution.u = certifier.u();
  solution.seconds = clock.seconds();
  return solution.status = status;
}

}  // namespace

CholeskySolver::CholeskySolver(const CholeskyOptions& options) : options_(options) {
  if (!(options.tolerance >= 0.0)) {
    throw std::invalid_argument(
        fmt::format("cholesky option tolerance = {}: expected a number ≥ 0", options.tolerance));
  }
  if (options.max_iterations < 1) {
    throw std::invalid_argument(
        fmt::format("cholesky option max_iterations = {}: expected ≥ 1", options.max_iterations));
  }
}

bool CholeskySolver::supports(const ConstraintRows& rows) const {
  return std::ranges::all_of(rows.kind, [](LawKind kind) { return kind == LawKind::equality; });
}

SolveStatus CholeskySolver::solve(const ContactProblem& problem, Solution& solution) const {
  const Stopwatch clock;
  return run(options_, supports(problem.rows), problem, makeDelassusProblem(problem), clock,
             solution);
}

SolveStatus CholeskySolver::solve(const DelassusProblem& problem, Solution& solution) const {
  const Stopwatch clock;
  return run(options_, supports(problem.rows), problem, problem, clock, solution);
}

}  // namespace cornet
