#include "view/page_recording.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace cornet::app {
namespace {

// "3 frames have numbers that ..., the first at t = 0.2 s"; empty without any.
std::string faultText(const RecordingReader& reader, const std::vector<int>& frames,
                      const char* fault) {
  if (frames.empty()) return "";
  return fmt::format("{} {} numbers that {}, the first at t = {} s", frames.size(),
                     frames.size() == 1 ? "frame has" : "frames have", fault,
                     reader.numbers()[static_cast<std::size_t>(frames.front())].time);
}

std::vector<NamedText> listSummary(const RecordingSummary& s) {
  std::vector<NamedText> list = {
      {"Frames", fmt::format("{}, t = {:g} to {:g} s", s.frames, s.begin, s.end)},
      {"Worst certificate", fmt::format("{:.1e} at t = {:g} s", s.worst_certificate, s.worst_time)},
      {"Steps not solved", fmt::format("{}", s.unsolved_steps)},
      {"Steps inaccurate", fmt::format("{}", s.inaccurate_steps)},
      {"Contacts", fmt::format("at most {}", s.max_contacts)},
      {"Energy at the start", fmt::format("{:.6g} J", s.start_energy)},
      {"Work put in", fmt::format("{:.6g} J", s.work)},
      {"Dissipated", fmt::format("{:.6g} J", s.dissipated)},
      {"Energy at the end", fmt::format("{:.6g} J", s.end_energy)},
      {"Balance to", fmt::format("{:.1e} J", s.balance_error)},
      {"State at the end", fmt::format("hash {:016x}", s.state_hash)}};
  if (!(s.worst_error > 0.0)) return list;  // steps of one size
  list.push_back({"Error of a step", fmt::format("estimated at most {:.1e} m", s.worst_error)});
  list.push_back({"Tries rejected", fmt::format("{}", s.rejections)});
  list.push_back({"Accuracy not reached", fmt::format("{} steps", s.forced_steps)});
  return list;
}

}  // namespace

RecordingDigest digest(const RecordingReader& reader) {
  RecordingDigest digest;
  const auto add = [&digest](const std::string& text) {
    if (!text.empty()) digest.problem += (digest.problem.empty() ? "" : "; ") + text;
  };
  add(reader.problem());
  const RecordingSummary summary = summarize(reader);
  add(faultText(reader, summary.bad_frames, "are not finite"));
  add(faultText(reader, summary.lost_frames, "cannot be read"));
  digest.summary = listSummary(summary);
  return digest;
}

ThinnedFrames thinFrames(const std::vector<FrameNumbers>& numbers, int count) {
  std::vector<int> index;
  const auto total = static_cast<std::int64_t>(numbers.size());
  const auto kept = std::min<std::int64_t>(std::max(count, 2), total);
  for (std::int64_t k = 0; k < kept; ++k) {
    const std::int64_t frame = kept > 1 ? k * (total - 1) / (kept - 1) : 0;
    index.push_back(static_cast<int>(frame));
  }
  return gatherFrames(numbers, std::move(index));
}

ThinnedFrames gatherFrames(const std::vector<FrameNumbers>& numbers, std::vector<int> index) {
  ThinnedFrames thinned{.index = std::move(index), .numbers = {}};
  int next = 0;
  for (const int kept : thinned.index) {
    FrameNumbers since;
    for (; next <= kept; ++next) gather(numbers[static_cast<std::size_t>(next)], StepBounds(), since);
    thinned.numbers.push_back(since);
  }
  return thinned;
}

}  // namespace cornet::app
