#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cornet/io/recording/recording.h"
#include "cornet/sim/moment.h"

/// Records moments of a world, of a scene's run or of a loop of one's own, into an HDF5 file (docs/formats/recording.md), from a thread of its own: the simulation copies each
/// frame into a queue and goes on. A process that is killed leaves a file that holds everything up to half a second
/// before, and opens as it is.
namespace cornet {

/// What recording cost.
struct RecorderCosts {
  std::uint64_t frames = 0;
  double copy_seconds = 0.0;   // of the simulation's thread, waiting included
  std::uint64_t waits = 0;     // because the writer was behind
  double wait_seconds = 0.0;
};

class Recorder {
 public:
  /// Begins the file; what was there is replaced. Throws FileError when it cannot be written.
  Recorder(const std::filesystem::path& file, const RecordingHeader& header, const WorldModel& world);
  /// Finishes; what goes wrong is forgotten.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// To be called at the start and after every step. Records the moment if it is its turn; its work and dissipation are
  /// summed here. Throws FileError when an earlier frame could not be written.
  void add(const Moment& moment);
  /// To be called for the last moment of a run, when it was added: it is recorded unless it was.
  void addLast(const Moment& moment);

  /// Waits until everything is in the file and closes it. Throws FileError when something could not be written.
  void finish();

  /// Of frames so far.
  RecorderCosts costs() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// A moment as a frame; `places` are those of calcRecordedPlaces. Numbers of a single step, hash included.
void copyFrame(const Moment& moment, const std::vector<int>& places, int track_count, RecordedFrame& frame);

}  // namespace cornet
