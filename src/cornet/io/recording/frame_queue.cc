#include "cornet/io/recording/frame_queue.h"

#include "cornet/base/stopwatch.h"

namespace cornet {

FrameQueue::FrameQueue(std::size_t slots, std::size_t most_bytes) : slots_(slots), most_bytes_(most_bytes) {}

std::size_t FrameQueue::bytesOf(const RecordedFrame& frame) {
  return frame.tracks.size() * sizeof(RecordedTrack) + frame.contacts.size() * sizeof(RecordedContact);
}

bool FrameQueue::isFull() const { return count_ == slots_.size() || (count_ > 0 && bytes_ > most_bytes_); }

RecordedFrame* FrameQueue::reserve() {
  std::unique_lock lock(mutex_);
  if (isFull() && !abandoned_) {
    const Stopwatch clock;
    ++waits_;
    has_frames_.notify_one();
    has_room_.wait(lock, [this] { return !isFull() || abandoned_; });
    wait_seconds_ += clock.seconds();
  }
  // The slot behind the last belongs to this thread until it is published.
  return abandoned_ ? nullptr : &slots_[(begin_ + count_) % slots_.size()];
}

void FrameQueue::publish() {
  const std::lock_guard lock(mutex_);
  bytes_ += bytesOf(slots_[(begin_ + count_) % slots_.size()]);
  ++count_;
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
  for (std::size_t left = count_; left > 0; --left) {
    const RecordedFrame& frame = slots_[begin_];
    lock.unlock();
    take(frame);
    lock.lock();
    begin_ = (begin_ + 1) % slots_.size();
    --count_;
    bytes_ -= bytesOf(frame);
    has_room_.notify_one();
  }
  return !was_closed;
}

}  // namespace cornet
