#include "scene/run_scene.h"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/io/format_error.h"
#include "exit_code.h"
#include "interrupt.h"
#include "scene/problem_dump.h"
#include "scene/run_progress.h"
#include "scene/run_report.h"
#include "scene/scene_overview.h"

namespace cornet::app {
namespace {

// Probes of every step, in a file or nowhere.
class ProbeFile {
 public:
  ProbeFile(const std::string& name, const Scene& scene) : name_(name) {
    if (name.empty()) return;
    stream_.open(name, std::ios::binary);
    stream_ << probeHeader(scene);
    require();
  }
  void add(const SceneRun& run) {
    if (!name_.empty()) stream_ << probeLine(run);
  }
  void close() {
    stream_.flush();
    require();
  }

 private:
  void require() {
    if (!name_.empty() && !stream_) throw FileError(name_, "cannot be written");
  }
  std::string name_;
  std::ofstream stream_;
};

int exitCode(const RunReport& report, const RunRequest& request) {
  if (report.interrupted) return kInterrupted;
  if (!report.failure.empty()) return kAccuracyNotReached;
  if (request.strict && report.run.totals().unsolved_steps > 0) return kAccuracyNotReached;
  return report.checksPassed() ? kDone : kCheckFailed;
}

}  // namespace

int runScene(const Scene& scene, const RunRequest& request) {
  catchInterrupts();
  SceneRun run(scene);
  ProbeFile probes(request.output, scene);
  const ProblemDump dump(request.dump_problems, request.dump_problems_all, run);
  RunReport report{request.file, scene, run};
  report.notes = overlapNotes(findOverlaps(scene.world));
  const Stopwatch clock;
  {
    RunProgress progress(scene.duration);
    probes.add(run);
    while (!run.isDone() && !interrupted && report.failure.empty()) {
      try {
        progress.show(run, run.step());
        probes.add(run);
      } catch (const FileError&) {
        throw;
      } catch (const std::runtime_error& error) {  // a body left the finite range
        report.failure = error.what();
      }
    }
  }
  report.wall_seconds = clock.seconds();
  report.interrupted = interrupted && !run.isDone();
  report.checks = run.calcChecks();
  report.problems = dump.summary();
  probes.close();
  const int code = exitCode(report, request);
  fmt::print("{}\n", request.json ? runJson(report, code == kDone) : runText(report));
  if (!report.failure.empty()) fmt::print(stderr, "cornet: error: {}\n", report.failure);
  return code;
}

}  // namespace cornet::app
