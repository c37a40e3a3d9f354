#include "view/page_recording.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet::app {
namespace {

std::string badFrames(const RecordingSummary& summary, const std::vector<FrameNumbers>& numbers) {
  const int first = summary.bad_frames.front();
  return fmt::format("{} {} numbers that are not finite, the first at t = {} s",
                     summary.bad_frames.size(),
                     summary.bad_frames.size() == 1 ? "frame has" : "frames have",
                     numbers[static_cast<std::size_t>(first)].time);
}

std::vector<NamedText> listSummary(const RecordingSummary& s) {
  return {
      {"Frames", fmt::format("{}, t = {:g} to {:g} s", s.frames, s.begin, s.end)},
      {"Worst certificate", fmt::format("{:.1e} at t = {:g} s", s.worst_certificate, s.worst_time)},
      {"Steps not solved", fmt::format("{}", s.unsolved_steps)},
      {"Contacts", fmt::format("at most {}", s.max_contacts)},
      {"Energy at the start", fmt::format("{:.6g} J", s.start_energy)},
      {"Work put in", fmt::format("{:.6g} J", s.work)},
      {"Dissipated", fmt::format("{:.6g} J", s.dissipated)},
      {"Energy at the end", fmt::format("{:.6g} J", s.end_energy)},
      {"Balance to", fmt::format("{:.1e} J", s.balance_error)},
      {"State at the end", fmt::format("hash {:016x}", s.state_hash)}};
}

}  // namespace

RecordingDigest digest(const RecordingReader& reader) {
  RecordingDigest digest;
  const auto add = [&digest](const std::string& text) {
    if (!text.empty()) digest.problem += (digest.problem.empty() ? "" : "; ") + text;
  };
  add(reader.problem());
  try {
    const RecordingSummary summary = summarize(reader);
    digest.numbers = reader.numbers();
    digest.summary = listSummary(summary);
    if (!summary.bad_frames.empty()) add(badFrames(summary, digest.numbers));
  } catch (const std::runtime_error& error) {
    add(error.what());
  }
  return digest;
}

ThinnedFrames thinFrames(const std::vector<FrameNumbers>& numbers, int count) {
  ThinnedFrames thinned;
  const auto total = static_cast<std::int64_t>(numbers.size());
  const auto kept = std::min<std::int64_t>(std::max(count, 2), total);
  FrameNumbers since;
  for (std::int64_t k = 0, next = 0; k < total; ++k) {
    const FrameNumbers& frame = numbers[static_cast<std::size_t>(k)];
    since.certificate = std::max(since.certificate, frame.certificate);
    since.velocity_error = std::max(since.velocity_error, frame.velocity_error);
    since.rejections += frame.rejections;
    since.iterations += frame.iterations;
    since.unsolved += frame.unsolved;
    if (kept > 1 && k < next * (total - 1) / (kept - 1)) continue;
    ++next;
    thinned.index.push_back(static_cast<int>(k));
    thinned.numbers.push_back(frame);
    thinned.numbers.back().certificate = since.certificate;
    thinned.numbers.back().velocity_error = since.velocity_error;
    thinned.numbers.back().rejections = since.rejections;
    thinned.numbers.back().iterations = since.iterations;
    thinned.numbers.back().unsolved = since.unsolved;
    since = {};
  }
  return thinned;
}

}  // namespace cornet::app
