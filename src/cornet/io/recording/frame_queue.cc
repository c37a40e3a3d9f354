#include "cornet/io/recording/frame_queue.h"

#include "cornet/base/stopwatch.h"

namespace cornet {

FrameQueue::FrameQueue(std::size_t slots, std::size_t most_bytes) : slots_(slots), most_bytes_(most_bytes) {}

std::size_t FrameQueue::bytesOf(const RecordedFrame& frame) {
  return frame.tracks.size() * sizeof(RecordedTrack) + frame.contacts.size() * sizeof(RecordedContact) +
         frame.waypoints.size() * sizeof(RecordedWaypoint);
}

bool FrameQueue::isFull() const { return frames_.size() >= slots_ || bytes_ > most_bytes_; }

std::unique_ptr<RecordedFrame> FrameQueue::reserve() {
  std::unique_lock lock(mutex_);
  if (isFull() && !abandoned_) {
    const Stopwatch clock;
    ++waits_;
    has_frames_.notify_one();
    has_room_.wait(lock, [this] { return !isFull() || abandoned_; });
    wait_seconds_ += clock.seconds();
  }
  if (abandoned_) return nullptr;
  if (free_.empty()) return std::make_unique<RecordedFrame>();
  std::unique_ptr<RecordedFrame> frame = std::move(free_.back());
  free_.pop_back();
  return frame;
}

void FrameQueue::publish(std::unique_ptr<RecordedFrame> frame) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytesOf(*frame);
  frames_.push_back(std::move(frame));
  // Waking the writer costs more than a frame: it looks by itself from time to time.
  if (isWorthWaking()) has_frames_.notify_one();
}

void FrameQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  has_frames_.notify_one();
}

void FrameQueue::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  has_room_.notify_one();
}

bool FrameQueue::drain(std::chrono::milliseconds patience, const std::function<void(const RecordedFrame&)>& take) {
  std::unique_lock lock(mutex_);
  has_frames_.wait_for(lock, patience, [this] { return closed_ || isWorthWaking(); });
  const bool was_closed = closed_;
  for (std::size_t left = frames_.size(); left > 0; --left) {
    std::unique_ptr<RecordedFrame> frame = std::move(frames_.front());
    frames_.pop_front();
    lock.unlock();
    take(*frame);
    lock.lock();
    bytes_ -= bytesOf(*frame);
    free_.push_back(std::move(frame));
    has_room_.notify_one();
  }
  return !was_closed;
}

}  // namespace cornet
