#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cornet/io/recording/recording.h"
#include "cornet/io/scene/scene_run.h"

/// Records a run into an HDF5 file (docs/formats/recording.md), from a thread of its own: the simulation copies each
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

  /// To be called at the start and after every step. Records the moment if it is its turn, or the last. Throws
  /// FileError when an earlier frame could not be written.
  void add(const SceneRun& run);
  /// To be called for the last moment of a run that ends early: it is recorded unless it was.
  void addLast(const SceneRun& run);

  /// Waits until everything is in the file and closes it. Throws FileError when something could not be written.
  void finish();

  /// Of frames so far.
  RecorderCosts costs() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// The present moment of a run; `places` are those of calcRecordedPlaces. Numbers of a single step, hash included.
void copyFrame(const SceneRun& run, const WorldModel& world, const std::vector<int>& places, int track_count,
               RecordedFrame& frame);

}  // namespace cornet
