#include "scene/run_progress.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace cornet::app {

RunProgress::RunProgress(double duration)
    : duration_(duration), terminal_(::isatty(STDERR_FILENO) != 0) {}

RunProgress::~RunProgress() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void RunProgress::show(const SceneRun& run, const StepReport& report) {
  const double elapsed = clock_.seconds();
  if (elapsed < next_) return;
  next_ = elapsed + (terminal_ ? 0.2 : 10.0);
  shown_ = true;
  const double time = run.state().time;
  const std::string control = run.isControlled() ? fmt::format("step {:.1e} s, {} rejected  ", report.control.dt, run.totals().rejections) : "";
  fmt::print(stderr, "{}{:3.0f} %  t = {:.3f} s  {:.2f} x real time  {}{} contacts, {} sticking  certificate {:.1e}{}",
             terminal_ ? "\r\033[K" : "", 100.0 * time / duration_, time, time / elapsed, control, report.contacts,
             report.sticking, run.totals().worst_certificate, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace cornet::app
