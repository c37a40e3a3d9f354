#pragma once

#include <string>
#include <vector>

#include "cornet/run/scene_run.h"

/// What `cornet run` prints (docs/formats/run.md).
namespace cornet::app {

struct RunReport {
  std::string file;
  const Scene& scene;
  const SceneRun& run;
  double wall_seconds = 0.0;
  bool interrupted = false;
  std::string failure = {};  // why it ended early, empty: it did not
  std::vector<CheckResult> checks = {};
  std::vector<std::string> notes = {};  // what is wrong with the start
  std::string problems = {};  // where contact problems were kept
  std::string recording = {};  // what was recorded where
  std::string page = {};  // what the report shows, and where it is

  bool checksPassed() const;
  /// Every step was solved, met the bounds of its certificate, and reached the accuracy that was asked for.
  bool isAccurate() const;
};

std::string runText(const RunReport& report);
std::string runJson(const RunReport& report, bool ok);

/// Lines of the file with all probes: names, then time and values after each step.
std::string probeHeader(const Scene& scene);
std::string probeLine(const SceneRun& run);

}  // namespace cornet::app
