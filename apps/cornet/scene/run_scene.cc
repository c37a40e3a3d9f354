#include "scene/run_scene.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/io/file_replacement.h"
#include "cornet/io/format_error.h"
#include "cornet/io/recording/make_header.h"
#include "cornet/io/recording/recorder.h"
#include "exit_code.h"
#include "interrupt.h"
#include "scene/problem_dump.h"
#include "scene/run_progress.h"
#include "scene/run_report.h"
#include "scene/scene_overview.h"
#include "view/page.h"
#include "view/report_file.h"

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

// A recording that is there only until the report is made of it.
class TemporaryRecording {
 public:
  explicit TemporaryRecording(const std::string& report) {
    if (report.empty()) return;
    std::error_code error;
    name_ = report + ".recording";
    for (int k = 2; std::filesystem::exists(std::filesystem::symlink_status(name_, error)); ++k) {
      name_ = fmt::format("{}.recording{}", report, k);
    }
  }
  ~TemporaryRecording() {
    std::error_code ignored;
    if (!name_.empty() && !is_kept_) std::filesystem::remove(name_, ignored);
  }
  const std::string& name() const { return name_; }
  void keep() { is_kept_ = true; }

 private:
  std::string name_;
  bool is_kept_ = false;
};

// Before a run, so that it is not for nothing; what is there stays as it is.
void requireWritable(const std::string& file) {
  if (!file.empty()) const FileReplacement attempt(file);
}

// The report of a run; a run that none can be written of is not lost.
std::string writeReportOf(TemporaryRecording& recording, const std::string& file) {
  try {
    return writeReport(RecordingReader(recording.name()), file);
  } catch (const std::runtime_error& error) {
    recording.keep();
    throw FileError(recording.name(),
                    fmt::format("keeps the run, as its report failed: {}; try: cornet report {} "
                                "-o FILE.html",
                                error.what(), recording.name()));
  }
}

// Frames of the run, in a file or nowhere.
class FrameFile {
 public:
  FrameFile(const RunRequest& request, const std::string& name, const Scene& scene) : name_(name) {
    if (name_.empty()) return;
    const RecordingHeader header =
        makeRecordingHeader(scene, "cornet " CORNET_VERSION, request.command, request.record_every);
    recorder_ = std::make_unique<Recorder>(name_, header, scene.world);
  }
  void add(const SceneRun& run) {
    if (recorder_) recorder_->add(run.moment());
    if (run.isDone()) addLast(run);
  }
  /// Also of a run that ends early.
  void addLast(const SceneRun& run) {
    if (recorder_) recorder_->addLast(run.moment());
  }
  /// Closes the file and says what it holds; empty without one.
  std::string finish() {
    if (!recorder_) return "";
    recorder_->finish();
    const RecorderCosts costs = recorder_->costs();
    std::error_code error;
    const double size = static_cast<double>(std::filesystem::file_size(name_, error));
    std::string text = fmt::format("{} frames in {}, {:.3g} MB", costs.frames, name_, 1e-6 * size);
    if (costs.waits > 0) text += fmt::format("; the run waited {:.2g} s for the file", costs.wait_seconds);
    return text;
  }

 private:
  std::string name_;
  std::unique_ptr<Recorder> recorder_;
};

// Why a strict run ends at a step that does not reach its accuracy.
std::string describeForced(const Scene& scene, const SceneRun& run) {
  return fmt::format("at t = {:g} s a step of {:g} s, the smallest, has an estimated error of {:.2g} m: accuracy {:g} m is not reached",
                     run.state().time, run.lastStepSize(), run.report().control.error, scene.options.control.accuracy);
}

int exitCode(const RunReport& report, const RunRequest& request) {
  if (report.interrupted) return kInterrupted;
  if (!report.failure.empty()) return kAccuracyNotReached;
  if (request.strict && !report.isAccurate()) return kAccuracyNotReached;
  return report.checksPassed() ? kDone : kCheckFailed;
}

}  // namespace

int runScene(const Scene& scene, const RunRequest& request) {
  catchInterrupts();
  if (request.strict && !scene.notes.empty()) throw std::invalid_argument(scene.notes.front());
  const SceneStart start = makeStart(scene);
  SceneRun run(scene, start);
  requireWritable(request.report);
  ProbeFile probes(request.output, scene);
  TemporaryRecording temporary(request.record.empty() ? request.report : "");
  FrameFile frames(request, request.record.empty() ? temporary.name() : request.record, scene);
  const ProblemDump dump(request.dump_problems, request.dump_problems_all, run);
  RunReport report{request.file, scene, run};
  report.notes = startNotes(start);
  report.notes.insert(report.notes.end(), scene.notes.begin(), scene.notes.end());
  const auto watch = [&] { return request.watcher == nullptr || request.watcher->watch(run); };
  bool goes_on = true;
  const Stopwatch clock;
  {
    RunProgress progress(scene.duration);
    probes.add(run);
    frames.add(run);
    goes_on = watch();
    while (goes_on && !run.isDone() && !interrupted && report.failure.empty()) {
      try {
        const StepReport& step = run.step();
        progress.show(run, step);
        probes.add(run);
        frames.add(run);
        goes_on = watch();
        if (request.strict && step.control.is_forced) report.failure = describeForced(scene, run);
      } catch (const FileError&) {
        throw;
      } catch (const std::exception& error) {  // a body left the finite range
        report.failure = error.what();
      }
    }
  }
  if (!goes_on) return kInterrupted;
  report.wall_seconds = clock.seconds();
  report.interrupted = interrupted && !run.isDone();
  report.checks = run.calcChecks();
  report.problems = dump.summary();
  if (report.failure.empty()) frames.addLast(run);
  report.recording = frames.finish();
  if (!request.report.empty() && request.record.empty()) {
    report.recording.clear();
    report.page = writeReportOf(temporary, request.report);
  } else if (!request.report.empty()) {
    report.page = writeReport(RecordingReader(request.record), request.report);
  }
  if (request.watcher != nullptr && !request.watcher->note().empty()) report.notes.push_back(request.watcher->note());
  probes.close();
  const int code = exitCode(report, request);
  fmt::print("{}\n", request.json ? runJson(report, code == kDone && report.isAccurate()) : runText(report));
  if (!report.failure.empty()) fmt::print(stderr, "cornet: error: {}\n", report.failure);
  std::fflush(stdout);
  if (request.finished) request.finished(run, report.failure);
  return code;
}

std::string reportScene(const Scene& scene, const std::string& command, const std::string& file) {
  requirePage();
  requireWritable(file);
  SceneRun run(scene);
  RunRequest request;
  request.command = command;
  TemporaryRecording temporary(file);
  FrameFile frames(request, temporary.name(), scene);
  frames.add(run);
  while (!run.isDone()) {
    run.step();
    frames.add(run);
  }
  frames.finish();
  return writeReportOf(temporary, file);
}

}  // namespace cornet::app
