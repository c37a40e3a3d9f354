#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/results.h"

namespace cornet::app {

struct PeerLimits {
  double tolerance = 1e-8;
  double max_seconds = 10.0;
  int repeat = 3;
};

/// Another solver collection, run through its adapter: a program of its own that times the
/// configurations of the collection on one problem and prints a JSON line for each
/// (docs/formats/bench.md).
class Peer {
 public:
  /// Asks the adapter for its solvers. Without a path it is looked for beside this program. Throws
  /// FileError, saying how to get it, when it is not there.
  Peer(const std::string& name, const std::string& program);

  const std::vector<BenchSolver>& solvers() const { return solvers_; }

  /// One run per solver, in their order. Throws FileError when the adapter fails.
  std::vector<BenchRun> run(const std::filesystem::path& problem, const PeerLimits& limits) const;

 private:
  std::filesystem::path program_;
  std::vector<BenchSolver> solvers_;
};

}  // namespace cornet::app
