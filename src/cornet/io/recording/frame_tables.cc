#include "cornet/io/recording/frame_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cornet/io/format_error.h"

namespace cornet {
namespace {

constexpr std::size_t kChunkBytes = 48u << 10;   // of tracks and contacts: filled between two flushes even in slow runs
constexpr int kNumbersChunk = 256;               // rows; 2 KB a column: rewritten at every flush until it is full

template <class T>
struct FieldOf {
  static constexpr auto type = ColumnTypeOf<T>::type;
  static std::vector<int> shape() { return {}; }
};
template <class T, std::size_t N>
struct FieldOf<std::array<T, N>> {
  static constexpr auto type = ColumnTypeOf<T>::type;
  static std::vector<int> shape() { return {static_cast<int>(N)}; }
};

// Makes a column of each field that is visited.
struct ListColumns {
  std::string folder;
  std::vector<TableColumn>& columns;
  std::vector<int> outer = {};
  int most_rows = 4096;
  template <class T>
  void operator()(const char* name, const T&) const {
    TableColumn column{folder + name, FieldOf<T>::type, outer};
    for (const int n : FieldOf<T>::shape()) column.row_shape.push_back(n);
    const std::size_t fitting = std::max<std::size_t>(1, kChunkBytes / column.rowBytes());
    column.chunk_rows = static_cast<int>(std::min<std::size_t>(fitting, static_cast<std::size_t>(most_rows)));
    columns.push_back(std::move(column));
  }
};

// Columns that older files do not have.
bool isLater(const std::string& path) {
  constexpr std::array kLater = {"closure",       "new_overlap", "unexplained", "momentum",    "energy_gain", "inaccurate",
                                 "worst_measure", "worst_body",  "parts",       "waypoint_end", "error", "forced"};
  return path.starts_with("/waypoints/") ||
         std::ranges::any_of(kLater, [&](const char* name) { return path == std::string("/frames/") + name; });
}

// Place of a field among the numbers of a frame.
int findColumn(const std::string& name) {
  int place = -1, k = 0;
  const FrameNumbers numbers;
  visitNumbers(numbers, [&](const char* other, const auto&) {
    if (name == other) place = k;
    ++k;
  });
  return place;
}

// A coefficient of friction may be infinite.
template <class T>
bool isFine(const std::byte* row, std::size_t bytes, bool may_be_infinite) {
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T x;
    std::memcpy(&x, row + at, sizeof(T));
    if (std::isnan(x) || (std::isinf(x) && !may_be_infinite)) return false;
  }
  return true;
}

bool isFine(const TableColumn& column, const std::byte* row) {
  if (column.type == NumberType::f64) return isFine<double>(row, column.rowBytes(), false);
  if (column.type == NumberType::f32) return isFine<float>(row, column.rowBytes(), column.path == "/contacts/mu");
  return true;
}

template <class Column, class T>
void store(Column& column, const T& field) {
  const auto* begin = reinterpret_cast<const std::byte*>(&field);
  column.bytes.insert(column.bytes.end(), begin, begin + sizeof(T));
}

}  // namespace

FrameShape::FrameShape(const RecordingHeader& header)
    : tracks(header.trackCount()), joints(static_cast<int>(header.joints.size())) {}

FrameColumns::FrameColumns(const FrameShape& shape) {
  const RecordedContact contact;
  const RecordedWaypoint waypoint;
  const RecordedTrack track;
  const RecordedJointState joint;
  const FrameNumbers frame;
  visitContact(contact, ListColumns{"/contacts/", contacts});
  visitWaypoint(waypoint, ListColumns{"/waypoints/", waypoints});
  if (shape.tracks > 0) visitTrack(track, ListColumns{"/frames/", tracks, {shape.tracks}, kNumbersChunk});
  if (shape.joints > 0) visitJoint(joint, ListColumns{"/frames/", joints, {shape.joints}, kNumbersChunk});
  visitNumbers(frame, ListColumns{"/frames/", numbers, {}, kNumbersChunk});
}

FrameTableWriter::FrameTableWriter(const FrameShape& shape, Hdf5TableWriter& file) : file_(file) {
  const FrameColumns columns(shape);
  for (const TableColumn& column : columns.contacts) contacts_.push_back({file.addColumn(column), {}});
  for (const TableColumn& column : columns.waypoints) waypoints_.push_back({file.addColumn(column), {}});
  for (const TableColumn& column : columns.tracks) tracks_.push_back({file.addColumn(column), {}});
  for (const TableColumn& column : columns.joints) joints_.push_back({file.addColumn(column), {}});
  for (const TableColumn& column : columns.numbers) numbers_.push_back({file.addColumn(column), {}});
}

void FrameTableWriter::add(const RecordedFrame& frame) {
  for (const RecordedContact& contact : frame.contacts) {
    std::size_t k = 0;
    visitContact(contact, [&](const char*, const auto& field) { store(contacts_[k++], field); });
  }
  for (const RecordedWaypoint& waypoint : frame.waypoints) {
    std::size_t k = 0;
    visitWaypoint(waypoint, [&](const char*, const auto& field) { store(waypoints_[k++], field); });
  }
  for (const RecordedTrack& track : frame.tracks) {
    std::size_t k = 0;
    visitTrack(track, [&](const char*, const auto& field) { store(tracks_[k++], field); });
  }
  for (const RecordedJointState& joint : frame.joints) {
    std::size_t k = 0;
    visitJoint(joint, [&](const char*, const auto& field) { store(joints_[k++], field); });
  }
  contact_end_ += frame.contacts.size();
  waypoint_end_ += frame.waypoints.size();
  FrameNumbers numbers = frame.numbers;
  numbers.contact_end = contact_end_;
  numbers.waypoint_end = waypoint_end_;
  std::size_t k = 0;
  visitNumbers(numbers, [&](const char*, const auto& field) { store(numbers_[k++], field); });
  ++frames_;
  contact_rows_ += frame.contacts.size();
  waypoint_rows_ += frame.waypoints.size();
  pending_bytes_ += frame.contacts.size() * sizeof(RecordedContact) + frame.tracks.size() * sizeof(RecordedTrack) +
                    frame.waypoints.size() * sizeof(RecordedWaypoint) + frame.joints.size() * sizeof(RecordedJointState) + sizeof(FrameNumbers);
}

void FrameTableWriter::append(std::vector<Column>& columns, std::size_t rows) {
  for (Column& column : columns) {
    file_.append(column.number, column.bytes.data(), rows);
    column.bytes.clear();
  }
}

void FrameTableWriter::write() {
  append(contacts_, contact_rows_);
  append(waypoints_, waypoint_rows_);
  append(tracks_, frames_);
  append(joints_, frames_);
  append(numbers_, frames_);
  frames_ = contact_rows_ = waypoint_rows_ = pending_bytes_ = 0;
}

FrameTableReader::FrameTableReader(const FrameShape& shape, Hdf5TableReader& file) : file_(file), shape_(shape) {
  const FrameColumns columns(shape);
  std::uint64_t numbers = 0, tracks = 0, joints = 0;
  contacts_ = open(columns.contacts, contact_rows_);
  waypoints_ = open(columns.waypoints, waypoint_rows_);
  tracks_ = open(columns.tracks, tracks);
  joints_ = open(columns.joints, joints);
  numbers_ = open(columns.numbers, numbers);
  frame_count_ = std::min({tracks, joints, numbers});
  findFrames();
  cutDisorder();
}

// Opens columns; `rows` is what all of them have in full.
std::vector<int> FrameTableReader::open(const std::vector<TableColumn>& columns, std::uint64_t& rows) {
  std::vector<int> numbers;
  rows = std::numeric_limits<std::uint64_t>::max();
  const bool is_whole = file_.wasClosed() && !file_.isCut();
  for (const TableColumn& column : columns) {
    if (isLater(column.path) && !file_.exists(column.path)) {
      numbers.push_back(-1);
      continue;
    }
    numbers.push_back(file_.openColumn(column));
    const std::uint64_t count = file_.rowCount(numbers.back());
    if (column.path.starts_with("/frames/")) begun_count_ = std::max(begun_count_, count);
    rows = std::min(rows, is_whole ? count : file_.countReadable(numbers.back()));
  }
  return numbers;
}

// The last frames of a file that was not closed may lack a table, or their contacts.
void FrameTableReader::findFrames() {
  constexpr std::uint64_t kBlock = kNumbersChunk;
  const auto isComplete = [&](const FrameNumbers& frame) {
    return std::isfinite(frame.time) && frame.contact_end <= contact_rows_ && frame.waypoint_end <= waypoint_rows_;
  };
  if (file_.wasClosed() && !file_.isCut()) return;
  while (frame_count_ > 0) {
    const std::uint64_t begin = (frame_count_ - 1) / kBlock * kBlock;
    std::vector<FrameNumbers> block;
    try {
      block = readNumbers(begin, static_cast<std::size_t>(frame_count_ - begin));
    } catch (const FormatError&) {
      frame_count_ = begin;
      continue;
    }
    while (!block.empty() && !isComplete(block.back())) block.pop_back();
    frame_count_ = begin + block.size();
    if (!block.empty()) return;
  }
}

// Frames end where time stands or the rows of contacts fall: rows that were begun and never written are zero.
void FrameTableReader::cutDisorder() {
  constexpr std::uint64_t kBlock = 16 * kNumbersChunk;
  const int time_column = findColumn("time"), end_column = findColumn("contact_end");
  double last = -std::numeric_limits<double>::infinity();
  std::uint64_t last_end = 0;
  std::vector<double> times;
  std::vector<std::uint64_t> ends;
  for (std::uint64_t begin = 0; begin < frame_count_; begin += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, frame_count_ - begin));
    times.resize(count);
    ends.resize(count);
    try {
      file_.read(numbers_[static_cast<std::size_t>(time_column)], begin, count, times.data());
      file_.read(numbers_[static_cast<std::size_t>(end_column)], begin, count, ends.data());
    } catch (const FormatError&) {
      continue;  // damaged: left to who reads these frames
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (times[k] <= last || ends[k] < last_end || ends[k] > contact_rows_) {
        frame_count_ = begin + k;
        return;
      }
      if (std::isfinite(times[k])) last = times[k];
      last_end = ends[k];
    }
  }
}

std::vector<FrameNumbers> FrameTableReader::readNumbers(std::uint64_t begin, std::size_t count) const {
  std::vector<FrameNumbers> rows(count);
  std::vector<std::byte> bytes;
  std::size_t k = 0;
  // One column after the other into its field.
  FrameNumbers prototype;
  visitNumbers(prototype, [&](const char*, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const int column = numbers_[k++];
    if (column < 0) return;
    bytes.resize(count * sizeof(Field));
    file_.read(column, begin, count, bytes.data());
    const auto offset = reinterpret_cast<std::byte*>(&field) - reinterpret_cast<std::byte*>(&prototype);
    for (std::size_t r = 0; r < count; ++r) {
      std::memcpy(reinterpret_cast<std::byte*>(&rows[r]) + offset, &bytes[r * sizeof(Field)], sizeof(Field));
    }
  });
  return rows;
}

std::vector<FrameNumbers> FrameTableReader::salvageNumbers(std::vector<int>& lost) const {
  constexpr std::uint64_t kBlock = kNumbersChunk;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<FrameNumbers> all;
  for (std::uint64_t begin = 0; begin < frame_count_; begin += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, frame_count_ - begin));
    try {
      const std::vector<FrameNumbers> block = readNumbers(begin, count);
      all.insert(all.end(), block.begin(), block.end());
    } catch (const FormatError&) {
      FrameNumbers none;
      none.kinetic = none.potential = none.dissipated = none.work = none.certificate = none.velocity_error =
          none.step_size = none.closure = none.new_overlap = none.unexplained = none.momentum = none.energy_gain = kNone;
      if (!all.empty()) {
        none.time = all.back().time;
        none.contact_end = all.back().contact_end;
        none.waypoint_end = all.back().waypoint_end;
      }
      all.insert(all.end(), count, none);
      for (std::size_t k = 0; k < count; ++k) lost.push_back(static_cast<int>(begin + k));
    }
  }
  return all;
}

std::uint64_t FrameTableReader::readEnd(const std::string& name, std::uint64_t frame) const {
  std::uint64_t end = 0;
  const int column = numbers_[static_cast<std::size_t>(findColumn(name))];
  if (column >= 0) file_.read(column, frame, 1, &end);
  return end;
}

void FrameTableReader::readTracks(std::uint64_t frame, std::vector<RecordedTrack>& tracks) const {
  tracks.resize(static_cast<std::size_t>(shape_.tracks));
  if (tracks.empty()) return;
  std::vector<PoseNumbers> poses(tracks.size());
  std::vector<std::array<double, 6>> velocities(tracks.size());
  file_.read(tracks_[0], frame, 1, poses.data());
  file_.read(tracks_[1], frame, 1, velocities.data());
  for (std::size_t i = 0; i < tracks.size(); ++i) tracks[i] = {poses[i], velocities[i]};
}

void FrameTableReader::readJoints(std::uint64_t frame, std::vector<RecordedJointState>& joints) const {
  joints.assign(static_cast<std::size_t>(shape_.joints), {});
  if (joints.empty()) return;
  std::vector<std::byte> bytes;
  std::size_t k = 0;
  RecordedJointState prototype;
  visitJoint(prototype, [&](const char*, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    bytes.resize(joints.size() * sizeof(Field));
    file_.read(joints_[k++], frame, 1, bytes.data());
    const auto offset = reinterpret_cast<std::byte*>(&field) - reinterpret_cast<std::byte*>(&prototype);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      std::memcpy(reinterpret_cast<std::byte*>(&joints[j]) + offset, &bytes[j * sizeof(Field)], sizeof(Field));
    }
  });
}

void FrameTableReader::readContacts(std::uint64_t begin, std::size_t count,
                                    std::vector<RecordedContact>& contacts) const {
  contacts.assign(count, {});
  std::vector<std::byte> bytes;
  std::size_t k = 0;
  RecordedContact prototype;
  visitContact(prototype, [&](const char*, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    bytes.resize(count * sizeof(Field));
    file_.read(contacts_[k++], begin, count, bytes.data());
    const auto offset = reinterpret_cast<std::byte*>(&field) - reinterpret_cast<std::byte*>(&prototype);
    for (std::size_t r = 0; r < count; ++r) {
      std::memcpy(reinterpret_cast<std::byte*>(&contacts[r]) + offset, &bytes[r * sizeof(Field)], sizeof(Field));
    }
  });
}

void FrameTableReader::readWaypoints(std::uint64_t begin, std::size_t count,
                                     std::vector<RecordedWaypoint>& waypoints) const {
  waypoints.assign(count, {});
  if (count == 0) return;
  std::vector<std::int32_t> bodies(count);
  std::vector<double> times(count, 0.0);
  std::vector<PoseNumbers> poses(count);
  std::vector<std::array<double, 6>> velocities(count);
  file_.read(waypoints_[0], begin, count, bodies.data());
  if (waypoints_[1] >= 0) file_.read(waypoints_[1], begin, count, times.data());  // older files: parts are equal
  file_.read(waypoints_[2], begin, count, poses.data());
  file_.read(waypoints_[3], begin, count, velocities.data());
  for (std::size_t k = 0; k < count; ++k) waypoints[k] = {bodies[k], times[k], {poses[k], velocities[k]}};
}

void FrameTableReader::scan(const std::vector<int>& numbers, const std::vector<TableColumn>& columns,
                            std::uint64_t rows, RowFaults& faults) const {
  std::vector<std::byte> bytes;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (numbers[c] < 0) continue;
    const std::size_t size = columns[c].rowBytes();
    const auto block = static_cast<std::uint64_t>(columns[c].chunk_rows);
    for (std::uint64_t begin = 0; begin < rows; begin += block) {
      const auto count = static_cast<std::size_t>(std::min(block, rows - begin));
      bytes.resize(count * size);
      try {
        file_.read(numbers[c], begin, count, bytes.data());
      } catch (const FormatError&) {
        for (std::size_t r = 0; r < count; ++r) faults.unreadable.push_back(begin + r);
        continue;
      }
      for (std::size_t r = 0; r < count; ++r) {
        if (!isFine(columns[c], &bytes[r * size])) faults.not_finite.push_back(begin + r);
      }
    }
  }
}

RowFaults FrameTableReader::findFrameFaults() const {
  const FrameColumns columns(shape_);
  RowFaults faults;
  scan(numbers_, columns.numbers, frame_count_, faults);
  scan(tracks_, columns.tracks, frame_count_, faults);
  scan(joints_, columns.joints, frame_count_, faults);
  return faults;
}

RowFaults FrameTableReader::findContactFaults() const {
  RowFaults faults;
  scan(contacts_, FrameColumns(shape_).contacts, contact_rows_, faults);
  return faults;
}

RowFaults FrameTableReader::findWaypointFaults() const {
  RowFaults faults;
  scan(waypoints_, FrameColumns(shape_).waypoints, waypoint_rows_, faults);
  return faults;
}

}  // namespace cornet
