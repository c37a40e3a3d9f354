#include "view/report_file.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "cornet/io/file_replacement.h"
#include "cornet/io/format_error.h"
#include "view/compact_frame.h"
#include "view/deflate.h"
#include "view/page.h"
#include "view/page_recording.h"

namespace cornet::app {
namespace {

constexpr int kFramesPerChunk = 16;
constexpr int kMostFrames = 3000;  // a minute of smooth motion; more only makes the page slow
constexpr int kTries = 6;
constexpr double kRoom = 0.97;  // of the estimate, which is no bound

// In a page "<" may begin a tag, also inside of strings.
std::string escapeTags(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string chunksJson(const RecordingReader& reader, const ThinnedFrames& thinned, bool all) {
  std::string json, chunk;
  RecordedFrame frame;
  const std::size_t count = thinned.index.size();
  for (std::size_t k = 0; k < count; ++k) {
    reader.readFrame(thinned.index[k], frame);
    frame.numbers = thinned.numbers[k];
    if (!all) compact(frame);
    addSizedFrame(makePageFrame(static_cast<int>(k), frame), chunk);
    if ((k + 1) % kFramesPerChunk != 0 && k + 1 < count) continue;
    json += fmt::format("{}\"{}\"", json.empty() ? "" : ",\n", toBase64(deflateRaw(chunk)));
    chunk.clear();
  }
  return json;
}

// Which frames can be read; each is tried once.
class ReadableFrames {
 public:
  explicit ReadableFrames(const RecordingReader& reader)
      : reader_(reader), states_(static_cast<std::size_t>(reader.frameCount()), State::unknown) {}

  std::vector<int> select(const std::vector<int>& index) {
    std::vector<int> readable;
    std::ranges::copy_if(index, std::back_inserter(readable), [this](int k) { return test(k); });
    return readable;
  }

 private:
  enum class State : std::uint8_t { unknown, readable, damaged };

  bool test(int k) {
    State& state = states_[static_cast<std::size_t>(k)];
    if (state == State::unknown) {
      try {
        reader_.readFrame(k, frame_);
        state = State::readable;
      } catch (const FormatError&) {
        state = State::damaged;
      }
    }
    return state == State::readable;
  }

  const RecordingReader& reader_;
  std::vector<State> states_;
  RecordedFrame frame_;
};

std::string damageText(int count) {
  return fmt::format("{} that cannot be read {} left out",
                     count == 1 ? "1 frame" : fmt::format("{} frames", count),
                     count == 1 ? "is" : "are");
}

// `all`: no frame is left out to keep the page small.
std::string dataJson(const RecordingReader& reader, const RecordingDigest& content,
                     const ThinnedFrames& thinned, bool all) {
  PageStatus status{.frame_count = static_cast<int>(thinned.index.size()),
                    .problem = content.problem,
                    .summary = content.summary};
  if (!all) {
    status.note = fmt::format("{} of {} frames, rounded, to keep the file small",
                              thinned.index.size(), reader.frameCount());
  }
  return fmt::format(
      "{{\"header\": {},\n\"series\": \"{}\", \"frames_per_chunk\": {},\n\"frames\": [{}]}}",
      escapeTags(makePageHeader(reader.header(), status)),
      toBase64(deflateRaw(makePageSeries(thinned.numbers))), kFramesPerChunk,
      chunksJson(reader, thinned, all));
}

}  // namespace

Report makeReport(const RecordingReader& reader, std::string_view whole_page,
                  std::size_t most_bytes) {
  const std::string page = packPage(whole_page);
  RecordingDigest content = digest(reader);
  const std::vector<FrameNumbers>& numbers = reader.numbers();
  const std::string problem = content.problem;
  ReadableFrames readable(reader);
  const int all = reader.frameCount();
  const std::size_t fixed = page.size() + escapeTags(makePageHeader(reader.header(), {})).size();
  const double room = fixed < most_bytes ? static_cast<double>(most_bytes - fixed) : 0.0;
  // A first guess by a few frames, then by what came out.
  Report report{.html = {}, .all_frames = all};
  int next = std::min(all, 2 * kFramesPerChunk);
  for (int k = 0; k < kTries; ++k) {
    const std::vector<int> chosen = thinFrames(numbers, next).index;
    const ThinnedFrames thinned = gatherFrames(numbers, readable.select(chosen));
    report.frames = static_cast<int>(thinned.index.size());
    report.damaged = static_cast<int>(chosen.size()) - report.frames;
    content.problem = problem;
    if (report.damaged > 0) {
      content.problem += (problem.empty() ? "" : "; ") + damageText(report.damaged);
    }
    report.html = fillPage(
        page, dataJson(reader, content, thinned, chosen.size() == numbers.size()));
    const bool fits = report.html.size() <= most_bytes;
    const double used =
        std::max(1.0, static_cast<double>(report.html.size()) - static_cast<double>(fixed));
    const int tried = next;
    next = std::clamp(static_cast<int>(kRoom * next * room / used), std::min(2, all),
                      std::min(all, kMostFrames));
    if (next == tried || (fits && k > 0)) break;
  }
  report.problem = content.problem;
  return report;
}

std::string writeReport(const RecordingReader& reader, const std::filesystem::path& file) {
  requirePage();
  const Report report = makeReport(reader, viewerPage());
  replaceFile(file, report.html);
  const std::string frames = report.frames < report.all_frames
                                 ? fmt::format("{} of {}", report.frames, report.all_frames)
                                 : fmt::format("{}", report.frames);
  return fmt::format("{} frames in {}, {:.3g} MB; open it in a browser{}", frames, file.string(),
                     1e-6 * static_cast<double>(report.html.size()),
                     report.damaged == 0 ? "" : "; " + damageText(report.damaged));
}

}  // namespace cornet::app
