#include "progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

namespace cornet::app {

Progress::Progress(std::string what) : what_(std::move(what)), thread_([this] { run(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Progress::run() {
  using namespace std::chrono_literals;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (int seconds = 1; !wake_.wait_for(lock, 1s, [this] { return done_; }); ++seconds) {
    if (terminal) {
      fmt::print(stderr, "\r\033[K{} ... {} s", what_, seconds);
    } else if (seconds == 1 || seconds % 10 == 0) {
      fmt::print(stderr, "{} ... {} s\n", what_, seconds);
    }
    std::fflush(stderr);
    shown = true;
  }
  if (shown && terminal) fmt::print(stderr, "\r\033[K");
}

}  // namespace cornet::app
