#pragma once

#include <memory>

#include "cornet/solvers/exact.h"

namespace cornet {

/// The exact solver on problems of many islands: splits them, solves each on its own, and certifies
/// the whole. Islands know nothing of each other, so the result has the same bits for any number of
/// threads; only a time limit may end different islands. More threads than processors are not used.
///
/// Budgets of factorizations hold per island. `iterations` and `factorizations` of the solution are sums over islands, `stages` those of the
/// island with the most factorizations, the status is that of the worst.
class IslandSolver {
 public:
  /// Throws std::invalid_argument when an option is out of range or `threads` is below 1.
  explicit IslandSolver(const ExactOptions& options = {}, int threads = 1);
  ~IslandSolver();
  IslandSolver(IslandSolver&&) noexcept;
  IslandSolver& operator=(IslandSolver&&) noexcept;

  bool supports(const ConstraintRows& rows) const;

  /// As ExactSolver::solve.
  SolveStatus solve(const ContactProblem& problem, Solution& solution);
  SolveStatus solve(const DelassusProblem& problem, Solution& solution);

 private:
  class Worker;
  class Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace cornet
