#pragma once

#include <string>

#include "cornet/run/scene_run.h"

namespace cornet::app {

/// Contact problems of a run as files that `cornet solve` reads: `step_000123_island_0.hdf5`, and beside it the
/// impulses the step went on with, `step_000123_island_0.solution.hdf5`. Steps count from 1.
class ProblemDump {
 public:
  static constexpr int kMost = 100;  // problems; the rest is counted

  /// Makes the folder and looks at `run` from now on; both must outlive its steps. An empty name does nothing.
  /// Throws FileError when the folder cannot be written to.
  ProblemDump(const std::string& folder, bool all, SceneRun& run);
  ProblemDump(const ProblemDump&) = delete;
  ProblemDump& operator=(const ProblemDump&) = delete;

  /// A sentence for the report; empty without a folder.
  std::string summary() const;

 private:
  void add(const KickRecord& record);

  std::string folder_;
  bool all_;
  const SceneRun& run_;
  int written_ = 0;
  int left_out_ = 0;  // beyond the cap
  int refused_ = 0;   // not finite
};

}  // namespace cornet::app
