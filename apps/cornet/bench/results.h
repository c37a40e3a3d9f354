#pragma once

#include <limits>
#include <string>
#include <vector>

/// What a benchmark measures: every solver on every problem.
namespace cornet::app {

struct BenchSolver {
  std::string name;
  std::string family;  // peers only: groups the curves of the picture
  bool peer = false;
};

/// One solver on one problem. Numbers are infinite where there is none.
struct BenchRun {
  std::string status;   // the solver's word; "solved" exactly when `solved`
  bool solved = false;  // ours: certificate and field's measure; a peer: field's measure
  double seconds = std::numeric_limits<double>::infinity();
  double certificate = std::numeric_limits<double>::infinity();
  double field = std::numeric_limits<double>::infinity();
  int iterations = 0;
  int factorizations = 0;
};

struct BenchProblem {
  std::string name;
  int contacts = 0;
  std::vector<BenchRun> runs;  // one per solver
};

struct BenchResults {
  double tolerance = 0.0;
  std::string peer;                   // empty = none
  std::vector<BenchSolver> solvers;   // ours first, the one that is judged at the front
  std::vector<BenchProblem> problems;

  int solverCount() const { return static_cast<int>(solvers.size()); }
};

}  // namespace cornet::app
