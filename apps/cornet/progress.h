#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cornet::app {

/// Says on stderr what is going on once it has taken longer than a second, then every second on a
/// terminal (one line, rewritten) or every ten seconds elsewhere. Silent for quick work.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void run();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace cornet::app
