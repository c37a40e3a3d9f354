#include "interrupt.h"

#include <csignal>

namespace cornet::app {

std::atomic<bool> interrupted = false;

void catchInterrupts() {
  std::signal(SIGINT, [](int) {
    interrupted = true;
    std::signal(SIGINT, SIG_DFL);
  });
}

}  // namespace cornet::app
