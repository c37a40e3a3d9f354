#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "cornet/io/recording/recording.h"

namespace cornet {

/// Frames on their way from the simulation to the thread that writes them: at most `slots` at a time. Their memory
/// is used again, that of the latest first. When the queue is full the simulation waits, and that is counted; frames are never dropped.
class FrameQueue {
 public:
  /// The writer compresses some 50 MB/s: what fits into the queue takes it less than half a second.
  explicit FrameQueue(std::size_t slots = 1024, std::size_t most_bytes = 16u << 20);

  /// Calls fill(frame) on a free frame, after waiting for room if need be. Does nothing once the reader is gone.
  template <class Fill>
  void push(const Fill& fill) {
    std::unique_ptr<RecordedFrame> frame = reserve();
    if (frame == nullptr) return;
    fill(*frame);
    publish(std::move(frame));
  }

  /// No more frames will come.
  void close();
  /// Nobody takes frames any more: a writer that failed.
  void abandon();

  /// Waits until there are enough frames to be worth it, until `patience` is over or the queue is closed; then
  /// calls take(frame) on all that are there. Returns whether more can come.
  bool drain(std::chrono::milliseconds patience, const std::function<void(const RecordedFrame&)>& take);

  /// How often and how long [s] the simulation waited for a free slot.
  std::uint64_t waits() const { return waits_; }
  double waitSeconds() const { return wait_seconds_; }

 private:
  std::unique_ptr<RecordedFrame> reserve();
  void publish(std::unique_ptr<RecordedFrame> frame);
  bool isFull() const;
  bool isWorthWaking() const { return frames_.size() >= slots_ / 8 || bytes_ >= most_bytes_ / 8; }
  static std::size_t bytesOf(const RecordedFrame& frame);

  const std::size_t slots_, most_bytes_;
  std::mutex mutex_;
  std::condition_variable has_frames_, has_room_;
  std::deque<std::unique_ptr<RecordedFrame>> frames_;
  std::vector<std::unique_ptr<RecordedFrame>> free_;
  std::size_t bytes_ = 0;
  bool closed_ = false, abandoned_ = false;
  std::uint64_t waits_ = 0;  // of the simulation's thread alone
  double wait_seconds_ = 0.0;
};

}  // namespace cornet
