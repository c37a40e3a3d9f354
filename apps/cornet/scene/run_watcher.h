#pragma once

#include <string>

#include "cornet/run/scene_run.h"

namespace cornet::app {

/// Looks on while a scene is run, and may give its steps inputs.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  /// At the start and after every step; may wait, and set the run's controller. False ends the run.
  virtual bool watch(SceneRun& run) = 0;
  /// What a reader of the run's report must know; empty: nothing.
  virtual std::string note() const = 0;
};

}  // namespace cornet::app
