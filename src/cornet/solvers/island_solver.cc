#include "cornet/solvers/island_solver.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "cornet/base/stopwatch.h"
#include "cornet/problem/island_part.h"
#include "cornet/solvers/gauss_seidel_blocks.h"
#include "cornet/solvers/warm_start.h"

namespace cornet {
namespace {

// From best to worst, as far as one solve of many islands is concerned.
int badness(SolveStatus status) {
  switch (status) {
    case SolveStatus::solved: return 0;
    case SolveStatus::inaccurate: return 1;
    case SolveStatus::max_iterations: return 2;
    case SolveStatus::infeasible: return 3;
    case SolveStatus::numerical_error: return 4;
    case SolveStatus::unsupported: return 5;
  }
  return 5;
}

// What an island leaves behind besides its impulses.
struct IslandResult {
  SolveStatus status = SolveStatus::solved;
  int iterations = 0;
  int factorizations = 0;
};

}  // namespace

// A solver and the island it is working on.
class IslandSolver::Worker {
 public:
  explicit Worker(const ExactOptions& options) : solver_(options) {}

  template <class Problem>
  SolveStatus solve(const Problem& problem, const Islands& islands, int island,
                    const VectorXd& start) {
    Problem& part = partOf(problem);
    extractIsland(problem, islands, island, part);
    gatherRows(problem.rows, islands.rows(island), start, solution.lambda);
    return solver_.solve(part, solution);
  }

  ExactSolver& solver() { return solver_; }
  Solution solution;

 private:
  ContactProblem& partOf(const ContactProblem&) { return contact_part_; }
  DelassusProblem& partOf(const DelassusProblem&) { return delassus_part_; }

  ExactSolver solver_;
  ContactProblem contact_part_;
  DelassusProblem delassus_part_;
};

class IslandSolver::Crew {
 public:
  Crew(const ExactOptions& options, int threads)
      : options_(options),
        threads_(std::min(threads, oneapi::tbb::info::default_concurrency())),
        workers_([options] { return Worker(options); }) {
    workers_.local();  // refuses bad options here and now
    if (threads_ > 1) arena_.initialize(threads_);
  }

  ExactSolver& solver() { return workers_.local().solver(); }

  template <class Problem>
  SolveStatus solve(const Problem& problem, Solution& solution);

 private:
  template <class Problem>
  void solveIsland(const Problem& problem, int island, const Stopwatch& clock);
  template <class Problem>
  void findTrivialIslands(const Problem& problem);
  auto& sweeperOf(const ContactProblem&) { return velocity_sweeper_; }
  auto& sweeperOf(const DelassusProblem&) { return delassus_sweeper_; }
  SolveStatus finish(Solution& solution);

  ExactOptions options_;
  int threads_;
  oneapi::tbb::enumerable_thread_specific<Worker> workers_;
  oneapi::tbb::task_arena arena_;
  Islands islands_;
  VectorXd lambda_, swept_;
  Certificate certificate_;
  gauss_seidel::Sweeper<gauss_seidel::VelocityRows> velocity_sweeper_;
  gauss_seidel::Sweeper<gauss_seidel::DelassusRows> delassus_sweeper_;
  std::vector<char> trivial_;  // per island
  std::vector<IslandResult> results_;
  std::vector<std::vector<SolveStage>> stages_;
  Certifier certifier_;
};

template <class Problem>
void IslandSolver::Crew::solveIsland(const Problem& problem, int island, const Stopwatch& clock) {
  Worker& worker = workers_.local();
  worker.solver().setTimeLimit(std::max(0.0, options_.max_seconds - clock.seconds()));
  Solution& part = worker.solution;
  const SolveStatus status = worker.solve(problem, islands_, island, lambda_);
  scatterRows(problem.rows, islands_.rows(island), part.lambda, lambda_);
  results_[island] = {status, part.iterations, part.factorizations};
  stages_[island] = part.stages;
}

// One sweep over everything settles islands of one contact, and of contacts that are all open.
template <class Problem>
void IslandSolver::Crew::findTrivialIslands(const Problem& problem) {
  trivial_.assign(static_cast<std::size_t>(islands_.count()), 0);
  certifier_.reset(problem, options_.friction_model);
  if (!solver().supports(problem.rows)) return;
  auto& sweeper = sweeperOf(problem);
  sweeper.reset(problem, options_.friction_model);
  certifier_.calcVelocities(lambda_);
  sweeper.setVelocity(certifier_.v());
  swept_ = lambda_;
  sweeper.sweep({}, swept_);
  certifier_.measure(swept_, certificate_);
  trivial_.assign(trivial_.size(), std::isfinite(certificate_.relative));
  for (std::size_t i = 0; i < certificate_.blocks.size(); ++i) {
    if (!certificate_.blocks[i].atFloor()) trivial_[islands_.ofRow()[i]] = 0;
  }
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    if (!trivial_[islands_.ofRow()[i]]) continue;
    const int begin = problem.rows.offset(i);
    lambda_.segment(begin, problem.rows.size(i)) = swept_.segment(begin, problem.rows.size(i));
  }
}

template <class Problem>
SolveStatus IslandSolver::Crew::solve(const Problem& problem, Solution& solution) {
  const Stopwatch clock;
  islands_.split(islandPattern(problem));
  if (islands_.count() == 1) {
    ExactSolver& only = solver();
    only.setTimeLimit(options_.max_seconds);
    return only.solve(problem, solution);
  }
  takeWarmStart(problem.rows.rowCount(), solution.lambda);
  lambda_ = solution.lambda;
  results_.assign(static_cast<std::size_t>(islands_.count()), {});
  stages_.resize(results_.size());
  for (std::vector<SolveStage>& stages : stages_) stages.clear();
  findTrivialIslands(problem);
  const auto solveOne = [&](int island) {
    if (!trivial_[island]) solveIsland(problem, island, clock);
  };
  if (threads_ == 1) {
    for (int island = 0; island < islands_.count(); ++island) solveOne(island);
  } else {
    arena_.execute([&] { oneapi::tbb::parallel_for(0, islands_.count(), solveOne); });
  }
  finish(solution);
  solution.seconds = clock.seconds();
  return solution.status;
}

// The certificate of the whole, and the figures of all islands.
SolveStatus IslandSolver::Crew::finish(Solution& solution) {
  certifier_.certify(lambda_, solution.certificate);
  solution.lambda = lambda_;
  solution.v = certifier_.v();
  solution.u = certifier_.u();
  solution.status = SolveStatus::solved;
  solution.iterations = solution.factorizations = 0;
  solution.stages.clear();
  int most = -1;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const IslandResult& result = results_[k];
    solution.iterations += result.iterations;
    solution.factorizations += result.factorizations;
    if (badness(result.status) > badness(solution.status)) solution.status = result.status;
    if (result.factorizations <= most) continue;
    most = result.factorizations;
    solution.stages = stages_[k];
  }
  // The certificate of what is returned has the last word.
  const bool solved = solution.certificate.solved(options_.tolerance);
  if (solved && solution.status != SolveStatus::unsupported) solution.status = SolveStatus::solved;
  if (!solved && solution.status == SolveStatus::solved) solution.status = SolveStatus::inaccurate;
  return solution.status;
}

IslandSolver::IslandSolver(const ExactOptions& options, int threads) {
  if (threads < 1) {
    throw std::invalid_argument(fmt::format("{} threads were asked for: expected at least 1", threads));
  }
  crew_ = std::make_unique<Crew>(options, threads);
}

IslandSolver::~IslandSolver() = default;
IslandSolver::IslandSolver(IslandSolver&&) noexcept = default;
IslandSolver& IslandSolver::operator=(IslandSolver&&) noexcept = default;

bool IslandSolver::supports(const ConstraintRows& rows) const {
  return crew_->solver().supports(rows);
}

SolveStatus IslandSolver::solve(const ContactProblem& problem, Solution& solution) {
  return crew_->solve(problem, solution);
}

SolveStatus IslandSolver::solve(const DelassusProblem& problem, Solution& solution) {
  return crew_->solve(problem, solution);
}

}  // namespace cornet
