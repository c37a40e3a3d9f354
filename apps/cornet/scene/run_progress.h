#pragma once

#include <string>

#include "cornet/base/stopwatch.h"
#include "cornet/run/scene_run.h"

namespace cornet::app {

/// Says on stderr how far a run is, once it has taken longer than a second: one line that is rewritten on a
/// terminal, a line every ten seconds elsewhere.
class RunProgress {
 public:
  explicit RunProgress(double duration);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void show(const SceneRun& run, const StepReport& report);

 private:
  double duration_;
  bool terminal_;
  bool shown_ = false;
  double next_ = 1.0;  // [s] after the start
  Stopwatch clock_;
};

}  // namespace cornet::app
