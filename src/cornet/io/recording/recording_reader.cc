#include "cornet/io/recording/recording_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/recording/frame_tables.h"
#include "cornet/io/recording/header_file.h"

namespace cornet {

struct RecordingReader::Content {
  explicit Content(const std::filesystem::path& name)
      : file(name, "a recording (cornet run --record)"), header(readHeader(file)), frames(FrameShape(header), file) {}

  Hdf5TableReader file;
  RecordingHeader header;
  FrameTableReader frames;
  mutable std::optional<std::vector<FrameNumbers>> numbers;
  mutable std::vector<int> lost;
};

RecordingReader::RecordingReader(const std::filesystem::path& file) : content_(std::make_unique<Content>(file)) {
  if (content_->frames.frameCount() > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    throw FormatError(file, "/frames/time", fmt::format("{} frames", content_->frames.frameCount()), "fewer than 2³¹");
  }
}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;

const RecordingHeader& RecordingReader::header() const { return content_->header; }
int RecordingReader::frameCount() const { return static_cast<int>(content_->frames.frameCount()); }
std::uintmax_t RecordingReader::fileSize() const { return content_->file.fileSize(); }
std::uint64_t RecordingReader::contactCount() const { return content_->frames.contactRows(); }
bool RecordingReader::isComplete() const {
  return content_->file.wasClosed() && !content_->file.isCut() &&
         content_->frames.frameCount() == content_->frames.begunCount();
}

std::string RecordingReader::problem() const {
  if (isComplete()) return "";
  const std::string why = !content_->file.wasClosed() ? "the run that wrote it was killed, or still goes on"
                          : content_->file.isCut()    ? "the end of the file is missing"
                                                      : "its last frames were not written";
  const int count = frameCount();
  if (count == 0) return why + "; it holds no whole frame";
  return fmt::format("{}; it holds {} frames, up to t = {} s of {} s", why, count, numbers().back().time,
                     header().duration);
}

const std::vector<FrameNumbers>& RecordingReader::numbers() const {
  if (!content_->numbers) {
    try {
      content_->numbers = content_->frames.readNumbers(0, static_cast<std::size_t>(frameCount()));
    } catch (const FormatError&) {
      content_->numbers = content_->frames.salvageNumbers(content_->lost);
    }
  }
  return *content_->numbers;
}

const std::vector<int>& RecordingReader::lostFrames() const {
  numbers();
  return content_->lost;
}

RecordedFrame RecordingReader::readFrame(int k) const {
  RecordedFrame frame;
  readFrame(k, frame);
  return frame;
}

void RecordingReader::readFrame(int k, RecordedFrame& frame) const {
  if (k < 0 || k >= frameCount()) {
    throw std::out_of_range(fmt::format("frame {}: the recording has frames 0 to {}", k, frameCount() - 1));
  }
  const auto refuse = [&](const std::string& path, const std::string& found, const std::string& expected) {
    throw FormatError(content_->file.file(), path, fmt::format("{} in frame {}", found, k), expected);
  };
  const auto row = static_cast<std::uint64_t>(k);
  frame.numbers = content_->frames.readNumbers(row, 1)[0];
  // Rows of this frame in a table that has them frame after frame.
  const auto rowsOf = [&](const std::string& name, std::uint64_t end, std::uint64_t all) {
    const std::uint64_t begin = k == 0 ? 0 : content_->frames.readEnd(name, row - 1);
    if (begin > end || end > all) {
      refuse("/frames/" + name, fmt::format("rows {} to {}", begin, end), fmt::format("an ascending number up to {}", all));
    }
    return std::pair(begin, static_cast<std::size_t>(end - begin));
  };
  const auto [first_contact, contact_count] = rowsOf("contact_end", frame.numbers.contact_end, contactCount());
  const auto [first_waypoint, waypoint_count] =
      rowsOf("waypoint_end", frame.numbers.waypoint_end, content_->frames.waypointRows());
  content_->frames.readTracks(row, frame.tracks);
  content_->frames.readJoints(row, frame.joints);
  content_->frames.readContacts(first_contact, contact_count, frame.contacts);
  content_->frames.readWaypoints(first_waypoint, waypoint_count, frame.waypoints);
  const auto bodies = static_cast<std::int32_t>(header().bodies.size());
  for (const RecordedContact& contact : frame.contacts) {
    for (const std::int32_t body : contact.bodies) {
      if (body < 0 || body >= bodies) refuse("/contacts/bodies", fmt::format("body {}", body), fmt::format("0 to {}", bodies - 1));
    }
    if (contact.state > 2) refuse("/contacts/state", fmt::format("{}", contact.state), "0, 1 or 2");
  }
  for (const RecordedWaypoint& waypoint : frame.waypoints) {
    if (waypoint.body >= 0 && waypoint.body < header().movingCount()) continue;
    refuse("/waypoints/body", fmt::format("body {}", waypoint.body), "one that moves");
  }
}

FrameFaults RecordingReader::findFaults() const {
  const std::vector<FrameNumbers>& rows = numbers();
  const RowFaults frames = content_->frames.findFrameFaults(), contacts = content_->frames.findContactFaults(),
                  waypoints = content_->frames.findWaypointFaults();
  // The frame of a row of contacts or waypoints is the first that ends behind it.
  const auto join = [&](std::vector<std::uint64_t> RowFaults::*kind) {
    std::vector<int> faults((frames.*kind).begin(), (frames.*kind).end());
    const auto addRows = [&](const RowFaults& table, std::uint64_t FrameNumbers::*end) {
      for (const std::uint64_t row : table.*kind) {
        const auto frame = std::ranges::upper_bound(rows, row, {}, end);
        if (frame != rows.end()) faults.push_back(static_cast<int>(frame - rows.begin()));
      }
    };
    addRows(contacts, &FrameNumbers::contact_end);
    addRows(waypoints, &FrameNumbers::waypoint_end);
    std::ranges::sort(faults);
    faults.erase(std::unique(faults.begin(), faults.end()), faults.end());
    return faults;
  };
  return {join(&RowFaults::not_finite), join(&RowFaults::unreadable)};
}

RecordingSummary summarize(const RecordingReader& reader) {
  const std::vector<FrameNumbers>& frames = reader.numbers();
  RecordingSummary summary;
  summary.frames = static_cast<int>(frames.size());
  summary.lost_frames = reader.lostFrames();
  if (summary.lost_frames.size() == frames.size()) return summary;
  const auto isLost = [&](int k) { return std::ranges::binary_search(summary.lost_frames, k); };
  int first_frame = 0, last_frame = summary.frames - 1;
  while (isLost(first_frame)) ++first_frame;
  while (isLost(last_frame)) --last_frame;
  const FrameNumbers& first = frames[static_cast<std::size_t>(first_frame)];
  const FrameNumbers& last = frames[static_cast<std::size_t>(last_frame)];
  summary.begin = first.time;
  summary.end = last.time;
  summary.start_energy = first.kinetic + first.potential;
  summary.end_energy = last.kinetic + last.potential;
  summary.work = last.work;
  summary.dissipated = last.dissipated;
  summary.state_hash = last.state_hash;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (isLost(static_cast<int>(k))) continue;
    const FrameNumbers& frame = frames[k];
    bool finite = true;
    visitNumbers(frame, [&](const char*, const auto& x) { finite &= std::isfinite(static_cast<double>(x)); });
    if (!finite) {
      summary.bad_frames.push_back(static_cast<int>(k));
      continue;
    }
    if (frame.certificate > summary.worst_certificate) {
      summary.worst_certificate = frame.certificate;
      summary.worst_time = frame.time;
    }
    summary.unsolved_steps += std::max(frame.unsolved, 0);
    summary.inaccurate_steps += std::max(frame.inaccurate, 0);
    summary.rejections += std::max(frame.rejections, 0);
    summary.forced_steps += std::max(frame.forced, 0);
    summary.worst_error = std::max(summary.worst_error, frame.error);
    const std::array<double, kStepMeasureCount> measures = {frame.closure, frame.new_overlap, frame.unexplained,
                                                            frame.momentum, frame.energy_gain};
    for (std::size_t m = 0; m < measures.size(); ++m) {
      if (!(measures[m] > summary.whole[m].value)) continue;
      summary.whole[m] = {measures[m], frame.time};
    }
    summary.max_contacts = std::max(summary.max_contacts, frame.contacts);
    const double error =
        frame.kinetic + frame.potential - summary.start_energy - frame.work + frame.dissipated;
    summary.balance_error = std::max(summary.balance_error, std::abs(error));
  }
  return summary;
}

}  // namespace cornet
