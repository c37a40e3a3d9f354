#include "scene/problem_dump.h"

#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/io/fclib.h"
#include "problem_files.h"

namespace cornet::app {

ProblemDump::ProblemDump(const std::string& folder, bool all, SceneRun& run)
    : folder_(folder), all_(all), run_(run) {
  if (folder_.empty()) return;
  makeWritableFolder(folder_);
  run.setKickObserver([this](const KickRecord& record) { add(record); },
                      all ? KeptKicks::all : KeptKicks::missed);
}

void ProblemDump::add(const KickRecord& record) {
  if (written_ == kMost) {
    ++left_out_;
    return;
  }
  const std::string name =
      fmt::format("step_{:06}_island_{}", run_.totals().steps + 1, record.island);
  ProblemFile file;
  file.problem = record.problem;
  file.warm_impulse = record.start;
  file.title = name;
  file.description = fmt::format("island {} of the step from t = {} s, {}: certificate {:.2e}", record.island,
                                 record.time, toString(record.solution.status),
                                 record.solution.certificate.relative);
  try {
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    writeProblem(path.string() + ".hdf5", file);
    writeSolution(path.string() + ".solution.hdf5", record.problem.rows, record.solution);
    ++written_;
  } catch (const std::invalid_argument&) {
    ++refused_;
  }
}

std::string ProblemDump::summary() const {
  if (folder_.empty()) return "";
  std::string text =
      fmt::format("{} {}written to {}", written_, all_ ? "" : "that missed the tolerance ", folder_);
  if (left_out_ > 0) text += fmt::format("; {} more left out (at most {})", left_out_, kMost);
  if (refused_ > 0) text += fmt::format("; {} with numbers that are not finite left out", refused_);
  return text;
}

}  // namespace cornet::app
