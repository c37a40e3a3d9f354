#include "view/recording_site.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "view/page.h"
#include "view/page_recording.h"

namespace cornet::app {
namespace {

constexpr std::string_view kFrames = "/data/frames/";
constexpr const char* kBytes = "application/octet-stream";

// "12/34" -> 12, 34
std::optional<std::pair<int, int>> readRange(std::string_view text) {
  std::pair<int, int> range;
  const char* const end = text.data() + text.size();
  const auto [slash, first] = std::from_chars(text.data(), end, range.first);
  if (first != std::errc() || slash == end || *slash != '/') return std::nullopt;
  const auto [rest, second] = std::from_chars(slash + 1, end, range.second);
  if (second != std::errc() || rest != end) return std::nullopt;
  return range;
}

}  // namespace

RecordingSite::RecordingSite(const RecordingReader& reader) : reader_(reader) {
  const RecordingDigest content = digest(reader);
  problem_ = content.problem;
  header_ =
      makePageHeader(reader.header(), {.frame_count = reader.frameCount(),
                                       .problem = content.problem,
                                       .summary = content.summary});
  series_ = makePageSeries(reader.numbers());
}

WebAnswer RecordingSite::get(const std::string& path) {
  if (path == "/") return pageAnswer();
  if (path == "/data/header") return {200, "application/json", header_};
  if (path == "/data/series") return {200, kBytes, series_};
  if (!path.starts_with(kFrames))
    return {404, "text/plain", "there is no such thing in a recording\n"};
  const auto range = readRange(std::string_view(path).substr(kFrames.size()));
  if (!range || range->first < 0 || range->second <= range->first ||
      range->second > reader_.frameCount() || range->second - range->first > kMostFrames) {
    return {400, "text/plain",
            fmt::format("expected FROM/TO of at most {} of the {} frames\n", kMostFrames,
                        reader_.frameCount())};
  }
  try {
    return frames(range->first, range->second);
  } catch (const std::exception& error) {  // no memory
    return {500, "text/plain", error.what()};
  }
}

// Frames that cannot be read are empty.
WebAnswer RecordingSite::frames(int from, int to) const {
  WebAnswer answer{200, kBytes, {}};
  RecordedFrame frame;
  for (int k = from; k < to; ++k) {
    try {
      reader_.readFrame(k, frame);
      addSizedFrame(makePageFrame(k, frame), answer.body);
    } catch (const FormatError&) {
      addSizedFrame("", answer.body);
    }
  }
  return answer;
}

}  // namespace cornet::app
