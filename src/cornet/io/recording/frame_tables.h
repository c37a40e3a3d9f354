#pragma once

#include <cstring>
#include <span>

#include "cornet/io/hdf5_tables.h"
#include "cornet/io/recording/recording.h"

/// The tables that grow: numbers, tracks and joints of frames, contacts and waypoints, one dataset a field. Private to the recording.
namespace cornet {

/// What a row of a frame has, by the header.
struct FrameShape {
  explicit FrameShape(const RecordingHeader& header);
  int tracks = 0, joints = 0;
};

/// Columns of the tables as the visitors name them, in the order in which the file is flushed.
struct FrameColumns {
  explicit FrameColumns(const FrameShape& shape);
  std::vector<TableColumn> contacts, waypoints, tracks, joints, numbers;
};

/// Collects frames column by column and appends them to the file.
class FrameTableWriter {
 public:
  FrameTableWriter(const FrameShape& shape, Hdf5TableWriter& file);

  /// Keeps a copy in memory; contact_end and waypoint_end are filled in.
  void add(const RecordedFrame& frame);
  std::size_t pendingBytes() const { return pending_bytes_; }
  /// Appends what was added since.
  void write();

 private:
  struct Column {
    int number = -1;
    std::vector<std::byte> bytes;
  };
  void append(std::vector<Column>& columns, std::size_t rows);

  Hdf5TableWriter& file_;
  std::vector<Column> contacts_, waypoints_, tracks_, joints_, numbers_;
  std::size_t frames_ = 0, contact_rows_ = 0, waypoint_rows_ = 0;  // not yet written
  std::size_t pending_bytes_ = 0;
  std::uint64_t contact_end_ = 0, waypoint_end_ = 0;
};

/// Rows of a table with numbers that are not finite, and rows that cannot be read, column after column.
struct RowFaults {
  std::vector<std::uint64_t> not_finite, unreadable;
};

/// Reads frames of a file by number.
class FrameTableReader {
 public:
  /// Of an older version, without the columns that came later: those read as their defaults.
  FrameTableReader(const FrameShape& shape, Hdf5TableReader& file);

  /// Frames that every table has in full, and how many the file has begun.
  std::uint64_t frameCount() const { return frame_count_; }
  std::uint64_t begunCount() const { return begun_count_; }
  std::uint64_t contactRows() const { return contact_rows_; }
  std::uint64_t waypointRows() const { return waypoint_rows_; }

  std::vector<FrameNumbers> readNumbers(std::uint64_t begin, std::size_t count) const;
  /// Numbers of all frames. Where they cannot be read, the frame is listed as lost; it has the time of the one before,
  /// and the rest is not finite.
  std::vector<FrameNumbers> salvageNumbers(std::vector<int>& lost) const;
  /// "contact_end" or "waypoint_end" of one frame; 0 where the file has none.
  std::uint64_t readEnd(const std::string& name, std::uint64_t frame) const;
  void readTracks(std::uint64_t frame, std::vector<RecordedTrack>& tracks) const;
  void readJoints(std::uint64_t frame, std::vector<RecordedJointState>& joints) const;
  void readContacts(std::uint64_t begin, std::size_t count, std::vector<RecordedContact>& contacts) const;

  void readWaypoints(std::uint64_t begin, std::size_t count, std::vector<RecordedWaypoint>& waypoints) const;

  /// Reads whole tables, chunk by chunk: rows of frames, numbers and tracks together, of contacts, and of waypoints.
  RowFaults findFrameFaults() const;
  RowFaults findContactFaults() const;
  RowFaults findWaypointFaults() const;

 private:
  std::vector<int> open(const std::vector<TableColumn>& columns, std::uint64_t& rows);
  void findFrames();
  void cutDisorder();
  void scan(const std::vector<int>& numbers, const std::vector<TableColumn>& columns, std::uint64_t rows,
            RowFaults& faults) const;

  Hdf5TableReader& file_;
  FrameShape shape_;
  std::vector<int> contacts_, waypoints_, tracks_, joints_, numbers_;  // -1: not in the file
  std::uint64_t frame_count_ = 0, begun_count_ = 0, contact_rows_ = 0, waypoint_rows_ = 0;
};

}  // namespace cornet
