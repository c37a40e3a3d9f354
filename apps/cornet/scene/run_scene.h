#pragma once

#include <functional>
#include <string>

#include "cornet/io/scene/scene.h"
#include "scene/run_watcher.h"

namespace cornet::app {

/// How a scene is run and what is made of it.
struct RunRequest {
  std::string file;    // as it is called in reports
  std::string output;  // file for the probes of every step; empty: none
  std::string dump_problems;  // folder for contact problems that missed their tolerance; empty: none
  bool dump_problems_all = false;
  std::string record;  // file for the recording; empty: none
  int record_every = 1;
  std::string report;  // file for a page with the run in it; empty: none
  std::string command;  // how the program was called, for the recording
  bool strict = false;
  bool json = false;
  RunWatcher* watcher = nullptr;
  /// Called after the report was printed, with why the run ended early, if it did.
  std::function<void(const SceneRun&, const std::string&)> finished = {};
};

/// Runs a scene, prints its report and returns the exit code. A run that its watcher ended is not reported. Throws FileError when the output cannot be
/// written, std::invalid_argument when the simulator refuses the scene.
int runScene(const Scene& scene, const RunRequest& request);

/// Runs a scene to its end and makes a page of it; says what the page holds and where it is. Throws FileError when it
/// cannot be written or the program has none, std::runtime_error when a body leaves the finite range.
std::string reportScene(const Scene& scene, const std::string& command, const std::string& file);

}  // namespace cornet::app
