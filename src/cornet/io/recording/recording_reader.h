#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cornet/audit/step_certificate.h"
#include "cornet/io/recording/recording.h"

/// Reads a recording: the header at once, numbers and frames when they are asked for. Recordings that were cut off,
/// or whose process was killed, give what they have and say so.
namespace cornet {

/// Frames with numbers that are not finite, poses and contacts included, and frames that cannot be read.
struct FrameFaults {
  std::vector<int> not_finite, unreadable;
};

class RecordingReader {
 public:
  /// Throws FileError when the file cannot be read, FormatError when it is no recording, of a newer version, or
  /// damaged before its first frame.
  explicit RecordingReader(const std::filesystem::path& file);
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;

  const RecordingHeader& header() const;
  int frameCount() const;
  std::uintmax_t fileSize() const;
  /// Rows of the contact table.
  std::uint64_t contactCount() const;
  /// Whether the file ends as it should.
  bool isComplete() const;
  /// What is missing, and up to which time [s] there are frames; empty for a complete file.
  std::string problem() const;

  /// Numbers of all frames, read on the first call. Of frames that are lost, as theirs cannot be read, the time is that of
  /// the frame before, and the rest is not finite.
  const std::vector<FrameNumbers>& numbers() const;
  const std::vector<int>& lostFrames() const;

  /// Frame k. Throws std::out_of_range for a number that is none, FormatError for data that cannot be read or that name
  /// bodies that do not exist. Numbers that are not finite are left to findProblem().
  RecordedFrame readFrame(int k) const;
  /// The same into memory that is used again.
  void readFrame(int k, RecordedFrame& frame) const;

  /// Reads everything, chunk by chunk.
  FrameFaults findFaults() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// A recording taken together, from the numbers of its frames alone.
struct RecordingSummary {
  int frames = 0;
  double begin = 0.0, end = 0.0;        // [s]
  double worst_certificate = 0.0;
  double worst_time = 0.0;              // [s] of that
  std::int64_t unsolved_steps = 0;
  std::int64_t inaccurate_steps = 0;
  std::int64_t rejections = 0;     // under error control, tries that do not stand,
  std::int64_t forced_steps = 0;   //   and steps that do not reach the accuracy
  double worst_error = 0.0;        // [m] estimate of a step's
  struct WorstValue {
    double value = 0.0, time = 0.0;
  };
  std::array<WorstValue, kStepMeasureCount> whole;  // by StepMeasure: the worst, and when [s]
  int max_contacts = 0;
  double start_energy = 0.0, end_energy = 0.0, work = 0.0, dissipated = 0.0;  // [J]
  double balance_error = 0.0;           // [J] largest |E - E₀ - work + dissipated|
  std::uint64_t state_hash = 0;         // of the last frame
  std::vector<int> bad_frames;          // with time, energies or errors that are not finite
  std::vector<int> lost_frames;         // whose numbers cannot be read: they count for nothing above
};

RecordingSummary summarize(const RecordingReader& reader);

}  // namespace cornet
